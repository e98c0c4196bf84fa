import { html, nothing } from 'lit';
import { freshKey, get, may, part, post, query } from '../api.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { isNever, plural } from '../format.js';
import { replace, to } from '../route.js';
import { Ticking } from '../ticking.js';
import { empty, problem, since, states, status } from '../parts/words.js';
import { refusal } from '../parts/refusal.js';
import '../parts/dialog.js';
import '../parts/event-form.js';
import '../parts/time-left.js';

const STATUSES = ['live', 'paused', 'halted', 'ended'];
const PAGE = 100;

/** Orders of the server: their titles, and what is said where not all could be looked at. */
const SORTS = {
  newest: ['Newest first'],
  oldest: ['Oldest first'],
  waiting: ['Waiting longest', 'More fit than are sorted: these wait longest of the oldest.'],
  due: ['Due first', 'More have a deadline than are looked through: only the thousand that come first.'],
  refused: ['Most refusals'],
};

function due(instance) {
  return Math.min(...instance.deadlines.map((deadline) => deadline.due).filter((moment) => !isNever(moment)), Infinity);
}

/** Every instance: found, sorted, and acted on together. */
class Instances extends Part {
  static properties = {
    filter: { attribute: false },
    chosen: { state: true },
    asking: { state: true },
    outcome: { state: true },
    starting: { state: true },
  };

  #list = new Loaded(this, (signal) => this.#load(signal), () => true);
  #machines = new Loaded(this, (signal) => get('/machines', signal));

  constructor() {
    super();
    this.filter = {};
    this.chosen = new Set();
    this.asking = null;
    this.outcome = null;
    this.starting = false;
    new Ticking(this);
  }

  willUpdate(changed) {
    if (changed.has('filter') && this.hasUpdated) {
      this.#list.now();
    }
  }

  #load(signal) {
    const { machine, state, status: word, q, field, value, parent, after, sort } = this.filter;
    return get(
      `/instances${query({
        machine,
        state,
        status: word,
        q,
        parent,
        after,
        order: SORTS[sort] ? sort : 'newest',
        most: PAGE,
        ...(field && value ? { [`field.${field}`]: value } : {}),
      })}`,
      signal,
    );
  }

  #ask(changes) {
    const filter = { ...this.filter, after: '', ...changes };
    replace('instances', filter);
    this.filter = filter;
    this.chosen = new Set();
  }

  render() {
    const shown = (this.#list.value?.instances ?? []).filter((i) => i.machine !== 'token' || this.filter.machine === 'token');
    const partly = this.#list.value?.whole === false ? SORTS[this.filter.sort]?.[1] : null;
    return html`
      <div class="title-row"><h1>Instances</h1>
        ${may('operator', 'agent', 'admin') ? html`<button class="primary" @click=${() => { this.starting = true; }}>Start an instance</button>` : nothing}</div>
      ${this.#filters()} ${problem(this.#list.problem)} ${this.outcome}
      ${this.chosen.size ? this.#bulk(shown) : nothing}
      <section class="card flush" aria-label="Instances found">
        ${this.#list.value && shown.length === 0
          ? empty('Nothing fits', 'Change what is asked for above, or start an instance.')
          : this.#table(shown)}
      </section>
      <p class="soft pager">${plural(shown.length, 'instance')} shown${partly ? `. ${partly}` : ''}
        ${this.filter.after ? html`<button @click=${() => this.#ask({ after: '' })}>First page</button>` : nothing}
        ${this.#list.value?.next ? html`<button @click=${() => this.#ask({ after: this.#list.value.next })}>Next page</button>` : nothing}</p>
      ${this.asking} ${this.starting ? this.#start() : nothing}
    `;
  }

  #filters() {
    const machines = [...new Set((this.#machines.value?.machines ?? []).map((m) => m.name))].sort();
    const set = (name) => (event) => this.#ask({ [name]: event.target.value.trim() });
    return html`<form class="filters" role="search" aria-label="Instances" @submit=${(event) => event.preventDefault()}>
      <label>Search<input type="search" .value=${this.filter.q ?? ''} placeholder="id or value" @change=${set('q')}></label>
      <label>Machine<select .value=${this.filter.machine ?? ''} @change=${set('machine')}>
        <option value="">all</option>${machines.map((name) => html`<option ?selected=${name === this.filter.machine}>${name}</option>`)}</select></label>
      <label>State<input .value=${this.filter.state ?? ''} placeholder="any" @change=${set('state')}></label>
      <label>Status<select @change=${set('status')}>
        <option value="">any</option>${STATUSES.map((word) => html`<option ?selected=${word === this.filter.status}>${word}</option>`)}</select></label>
      <label>Field<input .value=${this.filter.field ?? ''} placeholder="name" @change=${set('field')}></label>
      <label>Value<input .value=${this.filter.value ?? ''} placeholder="is exactly" @change=${set('value')}></label>
      <label>Sort<select @change=${set('sort')}>${Object.entries(SORTS).map(
        ([key, [title]]) => html`<option value=${key} ?selected=${key === this.filter.sort}>${title}</option>`)}</select></label>
    </form>`;
  }

  #table(shown) {
    const all = shown.length > 0 && shown.every((i) => this.chosen.has(i.id));
    return html`<table class="stacking">
      <thead><tr>
        <th class="tick"><input type="checkbox" aria-label="Choose all" .checked=${all}
          @change=${() => { this.chosen = new Set(all ? [] : shown.map((i) => i.id)); }}></th>
        <th>Instance</th><th>Machine</th><th>State</th><th>Status</th><th>In state since</th><th>Due</th><th class="number">Steps</th><th class="number">Refused</th>
      </tr></thead>
      <tbody>${shown.map((i) => html`<tr>
        <td class="tick"><input type="checkbox" aria-label="Choose ${i.id}" .checked=${this.chosen.has(i.id)} @change=${() => this.#choose(i.id)}></td>
        <td data-label="Instance"><a href=${to(['instances', i.id])} class="id">${i.id}</a></td>
        <td data-label="Machine"><a href=${to(['machines', i.machine])} class="plain">${i.machine}</a> <span class="soft">v${i.version}</span></td>
        <td data-label="State">${states(i.leaves)}</td>
        <td data-label="Status">${status(i.status)}</td>
        <td data-label="Since">${since(i.since)}</td>
        <td data-label="Due">${due(i) < Infinity ? html`<sb-time-left .due=${due(i)}></sb-time-left>` : html`<span class="soft">–</span>`}</td>
        <td data-label="Steps" class="number">${i.sequence}</td>
        <td data-label="Refused" class="number">${i.refusals || html`<span class="soft">0</span>`}</td>
      </tr>`)}</tbody></table>`;
  }

  #choose(id) {
    const chosen = new Set(this.chosen);
    chosen.has(id) ? chosen.delete(id) : chosen.add(id);
    this.chosen = chosen;
  }

  #bulk(found) {
    const chosen = found.filter((i) => this.chosen.has(i.id));
    const able = may('operator', 'admin');
    const button = (word, tone = '') => html`<button class=${tone} ?disabled=${!able} @click=${() => this.#confirm(word, chosen)}>${word}</button>`;
    return html`<div class="bulk" role="group" aria-label="Chosen instances"><strong>${plural(chosen.length, 'instance')} chosen</strong>
      ${button('Send…')} ${button('Pause')} ${button('Resume')} ${button('Cancel', 'danger')}
      <button class="quiet" @click=${() => { this.chosen = new Set(); }}>Choose none</button></div>`;
  }

  #confirm(word, chosen) {
    const close = () => { this.asking = null; };
    const act = (path, body) => async () => {
      close();
      await this.#each(word, chosen, path, body);
    };
    const content =
      word === 'Send…'
        ? html`<p>To ${plural(chosen.length, 'instance')}.</p>
            <form class="form" @submit=${(event) => {
              event.preventDefault();
              const form = new FormData(event.target);
              const text = form.get('data').trim();
              try {
                const data = text === '' ? null : JSON.parse(text);
                act('events', { event: form.get('event').trim(), data })();
              } catch {
                event.target.elements.data.setCustomValidity('Expected JSON.');
                event.target.reportValidity();
              }
            }}>
            <label class="field"><span>Event</span><input name="event" required autocomplete="off" list="awaited"></label>
            <datalist id="awaited">${[...new Set(chosen.flatMap((i) => i.awaited))].map((event) => html`<option>${event}</option>`)}</datalist>
            <label class="field"><span>Data <span class="soft">JSON, may be empty</span></span><textarea name="data" rows="3" class="mono"
              @input=${(event) => event.target.setCustomValidity('')}></textarea></label>
            <div class="actions"><button class="primary">Send to ${chosen.length}</button><button type="button" @click=${close}>Keep as they are</button></div></form>`
        : html`<p>${word} ${plural(chosen.length, 'instance')}?
            ${word === 'Cancel' ? 'They end, with everything they invoked. This can’t be undone.' : ''}</p>
            <ul class="chosen">${chosen.slice(0, 8).map((i) => html`<li>${i.id} ${states(i.leaves)}</li>`)}${chosen.length > 8 ? html`<li class="soft">and ${chosen.length - 8} more</li>` : nothing}</ul>
            <div class="actions"><button class=${word === 'Cancel' ? 'danger' : 'primary'} @click=${act(word.toLowerCase(), {})}>${word} ${chosen.length}</button>
              <button @click=${close} autofocus>Keep as they are</button></div>`;
    this.asking = html`<sb-dialog heading=${word === 'Send…' ? 'Send an event' : word} .content=${content} @closed=${close}></sb-dialog>`;
  }

  async #each(word, chosen, path, body) {
    const refused = [];
    for (const instance of chosen) {
      try {
        await post(`/instances/${part(instance.id)}/${path}`, body, { 'Idempotency-Key': freshKey() });
      } catch (found) {
        refused.push([instance.id, found]);
      }
    }
    const verb = word.replace('…', '').toLowerCase();
    this.outcome = html`<div class="notice ${refused.length ? 'bad' : 'good'}" role="status">
      <p>${plural(chosen.length - refused.length, 'instance')} took “${verb}”${refused.length ? `; ${plural(refused.length, 'was', 'were')} refused` : ''}.</p>
      <ul>${refused.map(([id, found]) => html`<li><a href=${to(['instances', id])}>${id}</a>: ${found.message}</li>`)}</ul></div>`;
    this.chosen = new Set();
    this.#list.now();
  }

  #start() {
    const machines = this.#machines.value?.machines ?? [];
    const names = [...new Set(machines.map((m) => m.name))].sort();
    const close = () => { this.starting = false; };
    const content = html`<form class="form" @submit=${(event) => this.#submitStart(event)}>
      <label class="field"><span>Machine</span><select name="machine" autofocus>${names.map((name) => html`<option ?selected=${name === this.filter.machine}>${name}</option>`)}</select></label>
      <label class="field"><span>Id <span class="soft">may be empty</span></span><input name="id" autocomplete="off"></label>
      <label class="field"><span>Input <span class="soft">JSON object of context fields, may be empty</span></span>
        <textarea name="input" rows="4" class="mono" spellcheck="false"></textarea></label>
      ${this.startProblem ?? nothing}
      <div class="actions"><button class="primary">Start</button><button type="button" @click=${close}>Cancel</button></div></form>`;
    return html`<sb-dialog heading="Start an instance" .content=${content} @closed=${close}></sb-dialog>`;
  }

  async #submitStart(event) {
    event.preventDefault();
    const form = new FormData(event.target);
    try {
      const text = form.get('input').trim();
      const body = { machine: form.get('machine'), input: text === '' ? {} : JSON.parse(text) };
      if (form.get('id').trim()) {
        body.id = form.get('id').trim();
      }
      const receipt = await post('/instances', body, { 'Idempotency-Key': freshKey() });
      this.starting = false;
      location.hash = to(['instances', receipt.instance ?? receipt.id]);
    } catch (found) {
      this.startProblem = found.body ? refusal(found) : html`<p class="bad" role="alert">Expected the input to be JSON, but ${found.message}.</p>`;
      this.requestUpdate();
    }
  }
}

customElements.define('sb-instances', Instances);
