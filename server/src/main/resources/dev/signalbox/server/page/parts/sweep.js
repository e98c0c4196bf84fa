import { html, nothing } from 'lit';
import { get, may, post } from '../api.js';
import { count, plural } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { problem, states, tag } from './words.js';

/** What the last sweep found, and another one on demand: only to look, or to put right as well. */
class Sweep extends Part {
  static properties = { report: { state: true }, busy: { state: true }, problem: { state: true } };

  #last = new Loaded(this, (signal) => get('/sweeps', signal));

  constructor() {
    super();
    this.report = null;
    this.busy = false;
    this.problem = null;
  }

  render() {
    const shown = this.report ?? this.#last.value?.last;
    const act = may('operator', 'admin');
    return html`<section class="card verify"><div><h2>The instances</h2>
      <p class="soft">A sweep looks at every one: whether it is what its journal says, and, as long as it has not ended, whether somebody, a timer or an event will move it.</p></div>
      ${act
        ? html`<div class="actions"><button ?disabled=${this.busy} @click=${() => this.#sweep(true)}>Only look</button>
            <button class="primary" ?disabled=${this.busy} @click=${() => this.#sweep(false)}>${this.busy ? 'Sweeping…' : 'Sweep'}</button></div>`
        : html`<span></span>`}
      <div role="status" class="verdict">${shown ? this.#told(shown) : this.#last.value ? html`<p class="soft">This server has not swept yet.</p>` : nothing}</div>
      ${problem(this.problem ?? this.#last.problem)}</section>`;
  }

  #told({ scanned, dry_run: dry, corrected, findings, more }) {
    const all = findings.length + more;
    const left = all - corrected;
    return html`<p>${all === 0 ? tag('healthy', 'good') : left ? tag(`${count(left)} left`, 'warn') : tag('put right', 'good')}
      ${plural(scanned, 'instance was', 'instances were')} looked at${dry ? ', nothing was changed' : nothing}.
      ${all ? html`${plural(all, 'was', 'were')} in trouble${dry ? nothing : html`, ${count(corrected)} put right`}.` : 'None is in trouble.'}</p>
      ${findings.length
        ? html`<ul class="problems">${findings.map((one) => html`<li>${tag(one.kind, one.corrected ? 'good' : 'warn')}
            <div><a href=${to(['instances', one.instance])}>${one.instance}</a> ${states(one.states)} ${one.reason}
              <p class="soft">${one.corrected ? html`Put right: ${one.correction}.` : one.correction === 'none' ? 'Only a person can help.' : html`Would be put right by: ${one.correction}. ${one.note}`}</p></div></li>`)}</ul>`
        : nothing}
      ${more ? html`<p class="soft">and ${count(more)} more</p>` : nothing}`;
  }

  async #sweep(dry) {
    this.busy = true;
    this.problem = null;
    try {
      this.report = await post('/sweeps', { dry_run: dry });
    } catch (found) {
      this.problem = found;
    }
    this.busy = false;
  }
}

customElements.define('sb-sweep', Sweep);
