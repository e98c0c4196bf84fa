import { html, nothing } from 'lit';
import { part, post, text as fetchText } from '../api.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { problem } from '../parts/words.js';
import { findings, problemLine } from '../parts/findings.js';

const EXAMPLE = `machine: door
version: 1
context:
  knocks: { type: int, default: 0 }
states:
  SHUT:
    on:
      knock: { assign: { knocks: ctx.knocks + 1 } }
      open: { to: OPEN, when: ctx.knocks >= 2 }
    waits: for somebody who knocks
  OPEN:
    after: { 5m: SHUT }
    on:
      close: SHUT
      demolish: GONE
  GONE: { final: true }
invariants:
  - name: opened-before-gone
    before: { reaching: GONE, must_visit: OPEN }
`;

/** Publishes a machine from its text; what is wrong with it stands at its line and column. */
class Publish extends Part {
  static properties = {
    from: {},
    text: { state: true },
    reports: { state: true },
    problem: { state: true },
    busy: { state: true },
  };

  constructor() {
    super();
    this.text = EXAMPLE;
    this.reports = null;
    this.problem = null;
    this.busy = '';
  }

  async willUpdate(changed) {
    if (changed.has('from') && this.from) {
      try {
        const text = await fetchText(`/machines/${part(this.from)}/source`);
        const next = Number(this.from.split('@').at(-1)) + 1;
        this.text = text.replace(/^version: *\d+/m, `version: ${next}`);
      } catch (found) {
        this.problem = found;
      }
    }
  }

  render() {
    return html`
      <div class="title-row"><div><p class="crumbs"><a href="#/machines">Machines</a></p><h1>Publish a machine</h1></div></div>
      <div class="publish">
        <section class="card">
          <label class="field"><span>Definition <span class="soft">YAML, SCXML, Mermaid or DOT</span></span>
            <textarea class="mono source" rows="28" spellcheck="false" .value=${this.text}
              @input=${(event) => { this.text = event.target.value; }}></textarea></label>
          <div class="actions"><button class="primary" ?disabled=${this.busy !== ''} @click=${this.#publish}>Publish</button>
            <button ?disabled=${this.busy !== ''} @click=${this.#check}>Check</button>
            <span class="soft" role="status">${this.busy}</span></div>
        </section>
        <div class="column" aria-live="polite">${this.#refused()}
          ${this.reports ? this.reports.map((report) => html`<h2>${report.machine ?? 'Unnamed'} ${report.ok ? html`<span class="tag good">sound</span>` : html`<span class="tag bad">not sound</span>`}</h2>${findings(report, this.#goTo)}`) : this.problem ? nothing : html`<p class="soft">Check shows every problem at its line and column, and which invariants are proved, refuted or left open. Publish checks first; a machine with errors is not published.</p>`}</div>
      </div>`;
  }

  #refused() {
    const found = this.problem?.body?.problems;
    return html`${problem(this.problem)}
      ${found ? html`<section class="card"><h2>Problems</h2><ul class="problems">${found.map((one) => problemLine(one, this.#goTo))}</ul></section>` : nothing}`;
  }

  #check = async () => {
    await this.#during('Checking…', async () => {
      const { machines } = await post('/machines/check', this.text, { 'Content-Type': 'text/plain' });
      this.reports = machines;
    });
  };

  #publish = async () => {
    await this.#during('Publishing…', async () => {
      this.reports = null;
      const machine = await post('/machines', this.text, { 'Content-Type': 'text/plain' });
      location.hash = to(['machines', machine.name], { version: machine.version });
    });
  };

  async #during(word, work) {
    this.busy = word;
    this.problem = null;
    try {
      await work();
    } catch (found) {
      this.problem = found;
    }
    this.busy = '';
  }

  #goTo = (line, column) => {
    const area = this.querySelector('textarea');
    const lines = this.text.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
    area.focus();
    area.setSelectionRange(start, lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, -1));
    area.scrollTop = Math.max(0, (line - 5) * (area.scrollHeight / lines.length));
  };
}

customElements.define('sb-publish', Publish);
