import { html, nothing } from 'lit';
import { get, may } from '../api.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { count } from '../format.js';
import { empty, problem, tag } from '../parts/words.js';

/** Every published machine, its newest version first. */
class Machines extends Part {
  #list = new Loaded(
    this,
    async (signal) => {
      const [{ machines }, overview] = await Promise.all([get('/machines', signal), get('/overview', signal)]);
      return { machines, overview };
    },
    (entry) => entry.kind === 'start' || entry.ended,
  );

  render() {
    const { machines = [], overview } = this.#list.value ?? {};
    const byName = new Map();
    for (const machine of machines) {
      byName.set(machine.name, [machine, ...(byName.get(machine.name) ?? [])]);
    }
    const live = new Map();
    for (const one of overview?.machines ?? []) {
      live.set(one.name, (live.get(one.name) ?? 0) + one.live);
    }
    return html`
      <div class="title-row"><h1>Machines</h1>
        ${may('admin') ? html`<a class="button" href="#/machines/publish">Publish a machine</a>` : nothing}</div>
      ${problem(this.#list.problem)}
      ${this.#list.value && byName.size === 0 ? empty('No machine is published', 'Publish one from its text.') : nothing}
      ${byName.size
        ? html`<section class="card flush"><table class="stacking"><thead><tr><th>Machine</th><th>Description</th><th>Versions</th><th class="number">Live instances</th></tr></thead>
        <tbody>${[...byName].sort(([a], [b]) => a.localeCompare(b)).map(([name, versions]) => html`<tr>
          <td data-label="Machine"><a href=${to(['machines', name])}>${name}</a>${versions[0].paused ? tag('paused') : nothing}</td>
          <td data-label="Description">${versions[0].description || html`<span class="soft">–</span>`}</td>
          <td data-label="Versions">${versions.map((one) => tag(`v${one.version}`))}</td>
          <td data-label="Live" class="number"><a class="plain" href=${to('instances', { machine: name })}>${count(live.get(name))}</a></td></tr>`)}</tbody></table></section>`
        : nothing}
    `;
  }
}

customElements.define('sb-machines', Machines);
