import { html, nothing } from 'lit';
import { get, may, part, text } from '../api.js';
import { count, plural } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { replace, to } from '../route.js';
import { figuresOf } from '../figures.js';
import { problem } from '../parts/words.js';
import { findings } from '../parts/findings.js';
import '../parts/diagram.js';
import '../parts/difference.js';
import '../parts/play.js';

const TABS = { live: 'Live', checks: 'Checks and proofs', difference: 'Versions', play: 'Play', text: 'Definition' };

/** One machine: its drawing with what is in it now, what was proved of it, its versions, and a place to try it. */
class MachinePage extends Part {
  static properties = { name: {}, query: { attribute: false } };

  #machine = new Loaded(this, async (signal) => {
    const { machines } = await get('/machines', signal);
    const versions = machines.filter((one) => one.name === this.name).map((one) => one.version);
    const version = Number(this.query.version) || Math.max(...versions);
    const path = `/machines/${part(`${this.name}@${version}`)}`;
    const [detail, source] = await Promise.all([get(path, signal), text(`${path}/source`, signal)]);
    return { versions, detail, source };
  });

  #overview = new Loaded(this, (signal) => get('/overview', signal), (entry) => entry.machine === this.name);
  #report = null;

  constructor() {
    super();
    this.query = {};
  }

  willUpdate(changed) {
    if (this.hasUpdated && (changed.has('name') || changed.has('query'))) {
      const old = changed.get('query') ?? {};
      if (changed.has('name') || old.version !== this.query.version) {
        this.#report = null;
        this.#machine.another();
        this.#overview.now();
      }
    }
  }

  render() {
    const found = this.#machine.value;
    if (!found) {
      return html`<h1>${this.name}</h1>${problem(this.#machine.problem)}`;
    }
    const { detail, versions } = found;
    const tab = TABS[this.query.tab] ? this.query.tab : 'live';
    return html`
      <div class="title-row"><div><p class="crumbs"><a href="#/machines">Machines</a></p>
        <h1>${detail.name} <span class="soft">v${detail.version}</span></h1></div>
        <div class="actions">
          ${versions.length > 1
            ? html`<label class="inline">Version <select @change=${(event) => this.#show({ version: event.target.value })}>
                ${[...versions].reverse().map((version) => html`<option ?selected=${version === detail.version}>${version}</option>`)}</select></label>`
            : nothing}
          ${may('admin') ? html`<a class="button" href=${to(['machines', 'publish'], { from: `${detail.name}@${detail.version}` })}>Publish a new version</a>` : nothing}
        </div></div>
      ${detail.description ? html`<p class="lead">${detail.description}</p>` : nothing}
      ${problem(this.#machine.problem)}
      <div class="tabs" role="tablist" aria-label=${detail.name}>${Object.entries(TABS).map(([key, title]) => html`<button role="tab"
        id="tab-${key}" aria-selected=${key === tab} aria-controls="tab-panel" tabindex=${key === tab ? 0 : -1}
        @click=${() => this.#show({ tab: key })} @keydown=${(event) => this.#arrow(event, key)}>${title}</button>`)}</div>
      <div id="tab-panel" role="tabpanel" aria-labelledby="tab-${tab}">${this.#panel(tab, found)}</div>
    `;
  }

  #show(changes) {
    this.query = { ...this.query, ...changes };
    replace(['machines', this.name], this.query);
  }

  async #arrow(event, key) {
    const keys = Object.keys(TABS);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      event.preventDefault();
      const next = keys[(keys.indexOf(key) + step + keys.length) % keys.length];
      this.#show({ tab: next });
      await this.updateComplete;
      this.querySelector(`#tab-${next}`).focus();
    }
  }

  #panel(tab, { detail, versions, source }) {
    const name = `${detail.name}@${detail.version}`;
    const address = `/machines/${part(name)}/diagram.svg?title=false&badges=true`;
    switch (tab) {
      case 'checks':
        return this.#checks(name);
      case 'difference':
        return html`<sb-difference .name=${detail.name} .versions=${versions} .to=${detail.version}></sb-difference>`;
      case 'play':
        return html`<sb-play .machine=${name} .address=${`/machines/${part(name)}/diagram.svg?title=false`}></sb-play>`;
      case 'text':
        return html`<section class="card"><pre class="source" tabindex="0" aria-label="Definition">${source}</pre></section>`;
      default:
        return this.#live(detail, address);
    }
  }

  #live(detail, address) {
    const one = (this.#overview.value?.machines ?? []).find((m) => m.name === detail.name && m.version === detail.version);
    const { counts, flows } = figuresOf(one);
    return html`<section class="card">
      <p class="soft">${plural(one?.live ?? 0, 'live instance')} of this version${one?.late ? html`, <span class="bad">${count(one.late)} late</span>` : nothing}. Choose a state to see its instances.</p>
      ${problem(this.#overview.problem)}
      <sb-diagram zoomable .label=${detail.name} .address=${address} .counts=${counts} .flows=${flows}
        .pick=${(state) => { location.hash = to('instances', { machine: detail.name, state }); }}></sb-diagram></section>`;
  }

  #checks(name) {
    if (this.#report?.name !== name) {
      this.#report = { name };
      get(`/machines/${part(name)}/proofs`)
        .then((report) => { this.#report = { name, report }; })
        .catch((found) => { this.#report = { name, problem: found }; })
        .finally(() => this.requestUpdate());
    }
    const { report, problem: found } = this.#report;
    return found ? problem(found) : report ? findings(report) : html`<p class="soft" role="status" aria-busy="true">Checking every reachable state…</p>`;
  }
}

customElements.define('sb-machine', MachinePage);
