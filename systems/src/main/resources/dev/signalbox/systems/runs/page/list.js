import { html, nothing } from 'lit';
import { get, query } from 'signalbox/api.js';
import { Loaded } from 'signalbox/loaded.js';
import { Part } from 'signalbox/part.js';
import { to } from 'signalbox/route.js';
import { empty, problem, since, status } from 'signalbox/parts/words.js';
import { MACHINE, environment, progress, word } from './words.js';

const STATES = ['INIT', 'PLANNING', 'EXECUTING', 'VERIFYING', 'AUDITING', 'AWAITING_APPROVAL', 'COMPLETE', 'ROLLED_BACK', 'HALTED_UNSAFE'];

/** Every run, the youngest first, live. */
class RunsList extends Part {
  static properties = { filter: { attribute: false } };

  #runs = new Loaded(this, (signal) => this.#load(signal), (entry) => entry.machine === MACHINE);

  constructor() {
    super();
    this.filter = {};
  }

  willUpdate(changed) {
    if (this.hasUpdated && changed.has('filter')) {
      this.#runs.another();
    }
  }

  async #load(signal) {
    const { state, live, project } = this.filter;
    const { runs } = await get(`/runs${query({ state, live, project, most: 500 })}`, signal);
    return runs.reverse();
  }

  render() {
    const runs = this.#runs.value;
    const set = (name) => (event) => {
      const value = event.target.type === 'checkbox' ? (event.target.checked ? 'true' : '') : event.target.value.trim();
      location.hash = to(['systems', 'runs'], { ...this.filter, [name]: value });
    };
    return html`
      <div class="title-row"><h1>Approved runs</h1>
        <label class="check inline"><input type="checkbox" .checked=${this.filter.live === 'true'} @change=${set('live')}> Only live ones</label></div>
      <form class="filters" @submit=${(event) => event.preventDefault()}>
        <label>Project<input .value=${this.filter.project ?? ''} placeholder="any" @change=${set('project')}></label>
        <label>State<select @change=${set('state')}><option value="">any</option>${STATES.map((name) => html`<option ?selected=${this.filter.state === name}>${name}</option>`)}</select></label></form>
      ${problem(this.#runs.problem)}
      ${runs && runs.length === 0 ? empty('No run', html`<code>signalbox run start PLAN.yaml</code> starts one.`) : nothing}
      ${runs?.length
        ? html`<section class="card flush"><table class="stacking">
          <thead><tr><th>Run</th><th>Project</th><th>Where</th><th>State</th><th>Tools</th><th>At</th><th>End</th><th>Since</th></tr></thead>
          <tbody>${runs.map((run) => this.#row(run))}</tbody></table></section>`
        : nothing}`;
  }

  #row(run) {
    return html`<tr>
      <td data-label="Run"><a class="id" href=${to(['systems', 'runs', run.run_id])}>${run.run_id}</a></td>
      <td data-label="Project">${run.project_id}</td>
      <td data-label="Where">${environment(run.environment)}</td>
      <td data-label="State">${word(run.state)} ${run.status === 'live' || run.status === 'ended' ? nothing : status(run.status)}</td>
      <td data-label="Tools">${progress(run)}</td>
      <td data-label="At">${run.current_tool || html`<span class="soft">–</span>`}</td>
      <td data-label="End">${run.final_status ? word(run.final_status) : html`<span class="soft">–</span>`}</td>
      <td data-label="Since">${since(run.since)}</td></tr>`;
  }
}

customElements.define('runs-list', RunsList);
