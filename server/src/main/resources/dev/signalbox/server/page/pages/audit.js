import { html, nothing } from 'lit';
import { get, may, post, query } from '../api.js';
import { count } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { replace, to } from '../route.js';
import { empty, problem, tag, when } from '../parts/words.js';
import '../parts/sweep.js';
import '../parts/tokens.js';

const KINDS = ['sign-in', 'sign-out', 'refused'];

/** Who came in, who was turned away, and whether the journal still is what it was. */
class Audit extends Part {
  static properties = {
    filter: { attribute: false },
    verdict: { state: true },
    busy: { state: true },
    problem: { state: true },
  };

  #lines = new Loaded(this, (signal) => (may('admin') ? get(`/audit${query({ kind: this.filter.kind, who: this.filter.who, q: this.filter.q, most: 200 })}`, signal) : null));

  constructor() {
    super();
    this.filter = {};
    this.verdict = null;
    this.busy = false;
    this.problem = null;
  }

  willUpdate(changed) {
    if (changed.has('filter') && this.hasUpdated) {
      this.#lines.now();
    }
  }

  #ask(changes) {
    this.filter = { ...this.filter, ...changes };
    replace('audit', this.filter);
  }

  render() {
    return html`
      <div class="title-row"><h1>Audit</h1></div>
      <section class="card verify"><div><h2>The journal</h2>
        <p class="soft">Every hash is computed again, and every entry is lived through again by the kernel.</p></div>
        <button class="primary" ?disabled=${this.busy || !may('operator', 'admin')} @click=${this.#verify}>${this.busy ? 'Verifying…' : 'Verify'}</button>
        <div role="status" class="verdict">${this.verdict ? this.#verdict() : nothing}</div>${problem(this.problem)}</section>
      ${may('viewer', 'operator', 'admin') ? html`<sb-sweep></sb-sweep>` : nothing}
      ${may('admin') ? html`${this.#log()}<sb-tokens></sb-tokens>` : nothing}`;
  }

  /** Who came and who was turned away, for those who may know. */
  #log() {
    const set = (name) => (event) => this.#ask({ [name]: event.target.value.trim() });
    return html`<form class="filters" role="search" aria-label="Audit log" @submit=${(event) => event.preventDefault()}>
        <label>Kind<select @change=${set('kind')}><option value="">any</option>${KINDS.map((kind) => html`<option ?selected=${kind === this.filter.kind}>${kind}</option>`)}</select></label>
        <label>Who<input .value=${this.filter.who ?? ''} placeholder="anybody" @change=${set('who')}></label>
        <label>Search<input type="search" .value=${this.filter.q ?? ''} placeholder="path or code" @change=${set('q')}></label>
        <label>Instance<input placeholder="its history" @change=${(event) => { if (event.target.value.trim()) { location.hash = to(['instances', event.target.value.trim()]); } }}></label></form>
      ${problem(this.#lines.problem)}
      <section class="card flush"><h2>Sign-ins and refused requests</h2>${this.#table()}</section>`;
  }

  #table() {
    const lines = this.#lines.value?.lines;
    if (!lines) {
      return nothing;
    }
    return lines.length === 0
      ? empty('Nothing fits')
      : html`<table class="stacking"><thead><tr><th>When</th><th>What</th><th>Who</th><th>From</th><th>Request</th><th>Answer</th></tr></thead>
        <tbody>${lines.map((one) => html`<tr><td data-label="When">${when(one.at)}</td>
          <td data-label="What">${tag(one.kind, one.kind === 'refused' ? 'bad' : 'good')}</td>
          <td data-label="Who">${one.who || html`<span class="soft">nobody</span>`}</td><td data-label="From">${one.from}</td>
          <td data-label="Request"><code>${one.method} ${one.path}</code></td>
          <td data-label="Answer">${one.status} <span class="soft">${one.code}</span></td></tr>`)}</tbody></table>`;
  }

  #verdict() {
    const { state, reason, sound, entries, instances, groups, groups_read: read, findings, more } = this.verdict;
    if (state === 'running') {
      return html`<p>${count(read)} groups read so far. <button class="quiet" @click=${() => post('/verify/cancel', {})}>Cancel</button></p>`;
    }
    if (state !== 'done') {
      return html`<p>${tag(state, 'bad')} ${reason}</p>`;
    }
    return html`<p>${sound ? tag('sound', 'good') : tag('broken', 'bad')}
      ${count(entries)} entries of ${count(instances)} instances in ${count(groups)} groups were checked.</p>
      ${findings.length ? html`<ul class="problems">${findings.map((one) => html`<li>${tag(one.code, 'bad')}<div><code>${one.where}</code> ${one.message}</div></li>`)}</ul>` : nothing}
      ${more ? html`<p class="soft">and ${count(more)} more</p>` : nothing}`;
  }

  #verify = async () => {
    this.busy = true;
    this.problem = null;
    try {
      this.verdict = await post('/verify', {});
      while (this.verdict.state === 'running' && this.isConnected) {
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        this.verdict = await get('/verify');
      }
    } catch (found) {
      this.problem = found;
    }
    this.busy = false;
  };
}

customElements.define('sb-audit', Audit);
