import { edgeKey } from './parts/diagram.js';

/** The figures of a machine in the overview as a drawing wants them. */
export function figuresOf(machine) {
  const flows = {};
  for (const flow of machine?.flows ?? []) {
    flows[edgeKey(flow.from, flow.on, flow.to)] = flow.count;
  }
  return { counts: machine?.states ?? {}, flows };
}
