import { edgeKey } from './parts/diagram.js';

/** The states that were entered and the transitions that were taken. */
export function pathOf(entries) {
  const visited = new Set();
  const taken = new Set();
  for (const entry of entries) {
    for (const microstep of entry.microsteps ?? []) {
      microstep.entered?.forEach((state) => visited.add(state));
      microstep.taken?.forEach((edge) => taken.add(edgeKey(edge.from, edge.on, edge.to)));
    }
  }
  return { visited, taken };
}

/** From when to when it was where; the last stay is open when it goes on. */
export function staysOf(entries, open) {
  const stays = [];
  for (const { states, at } of entries) {
    const last = stays.at(-1);
    if (last && last.states.join(' ') === states.join(' ')) {
      continue;
    }
    if (last) {
      last.to = at;
    }
    stays.push({ states, from: at, to: null });
  }
  if (!open && stays.length) {
    stays.at(-1).to = entries.at(-1).at;
  }
  return stays;
}
