import { html, nothing } from 'lit';
import { freshKey, get, may, part, post } from '../api.js';
import { isNever, plural } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { pathOf, staysOf } from '../path.js';
import { fields, json, problem, states, status, when } from '../parts/words.js';
import { refusal } from '../parts/refusal.js';
import '../parts/diagram.js';
import '../parts/dialog.js';
import '../parts/event-form.js';
import '../parts/family.js';
import '../parts/history.js';
import '../parts/state-bar.js';
import '../parts/time-left.js';

/** The most entries that are shown; older ones are in the API. */
const MOST = 1_000;

/** One instance: where it is, how it came there, and what may happen next. */
class InstancePage extends Part {
  static properties = {
    name: {},
    at: {},
    asking: { state: true },
    answer: { state: true },
    past: { state: true },
    travel: { state: true },
  };

  #now = new Loaded(this, (signal) => this.#load(signal), (entry) => this.#concerns(entry));

  constructor() {
    super();
    this.asking = null;
    this.answer = nothing;
    this.past = null;
    this.travel = null;
  }

  willUpdate(changed) {
    if (changed.has('name') && this.hasUpdated) {
      this.answer = nothing;
      this.asking = null;
      this.travel = null;
      this.past = null;
      this.#now.another();
    }
    if (changed.has('at') && this.at !== null) {
      this.#travelTo(Number(this.at));
    }
  }

  #concerns(entry) {
    return entry.instance === this.name || entry.parent === this.name;
  }

  async #load(signal) {
    const path = `/instances/${part(this.name)}`;
    const instance = await get(path, signal);
    const from = Math.max(1, instance.sequence - MOST + 1);
    const firstRefusal = Math.max(1, instance.refusals - 199);
    const [history, refusals, children] = await Promise.all([
      get(`${path}/history?from=${from}&most=${MOST}`, signal),
      instance.refusals ? get(`${path}/refusals?from=${firstRefusal}&most=200`, signal) : { entries: [] },
      get(`/instances?parent=${part(this.name)}&most=100`, signal),
    ]);
    return {
      instance,
      entries: history.entries,
      refusals: refusals.entries,
      children: children.instances,
    };
  }

  render() {
    const found = this.#now.value;
    if (!found) {
      return this.#now.problem
        ? html`<h1>${this.name}</h1>${problem(this.#now.problem)}<p><a href="#/instances">All instances</a></p>`
        : nothing;
    }
    const now = found.instance;
    const shown = this.travel === null ? now : (this.past ?? now);
    const entries = found.entries.filter((entry) => this.travel === null || entry.sequence <= this.travel);
    const path = pathOf(entries);
    return html`
      <div class="title-row">
        <div>
          <p class="crumbs"><a href="#/instances">Instances</a> / <a href=${to(['machines', now.machine], { version: now.version })}>${now.machine} v${now.version}</a>
            ${now.parent ? html`/ <a href=${to(['instances', now.parent])}>${now.parent}</a>` : nothing}</p>
          <h1 class="id">${now.id}</h1>
        </div>
        <div class="head-state">${status(shown.status)} ${states(shown.leaves)} <span class="soft">since ${when(shown.since)}</span></div>
      </div>
      ${problem(this.#now.problem)} ${this.travel === null ? nothing : this.#inThePast(found)}
      <div class="instance">
        <div class="column wide">
          <section class="card"><h2 class="unseen">Diagram</h2>
            <sb-diagram zoomable legible .label=${`${now.machine}, instance ${now.id}`}
              .address=${`/machines/${part(`${now.machine}@${now.version}`)}/diagram.svg?title=false&badges=false`}
              .active=${shown.states} .visited=${path.visited} .taken=${path.taken}></sb-diagram>
            ${this.#slider(now)}
          </section>
          <section class="card"><h2>Time in each state</h2>
            <sb-state-bar .stays=${staysOf(entries, this.travel === null && now.status !== 'ended')}></sb-state-bar></section>
          <section class="card flush"><h2>History <span class="soft">${plural(now.sequence, 'step')}, ${plural(now.refusals, 'refusal')}</span></h2>
            <sb-history .entries=${found.entries} .refusals=${found.refusals} .at=${this.travel}
              .travel=${(sequence) => this.#travelTo(sequence)}></sb-history></section>
        </div>
        <div class="column">
          <div class="column first">${this.answer} ${this.travel === null ? this.#next(now) : nothing}</div>
          <section class="card"><h2>Context</h2>${fields(shown.context)}
            ${shown.output === null || shown.output === undefined ? nothing : html`<h3>Output</h3>${json(shown.output)}`}</section>
          ${found.children.length || now.parent
            ? html`<section class="card"><h2>Family</h2><sb-family .root=${now} .children_=${found.children}></sb-family></section>`
            : nothing}
          <section class="card small"><h2>Proof</h2>
            <dl class="fields"><div><dt>steps</dt><dd>${shown.sequence}</dd></div><div><dt>hash</dt><dd><code class="hash">${shown.hash}</code></dd></div></dl>
            ${this.travel === null ? this.#controls(now) : nothing}</section>
        </div>
      </div>
      ${this.asking}
    `;
  }

  #inThePast(found) {
    const entry = found.entries.find((one) => one.sequence === this.travel);
    return html`<div class="notice accent" role="status">
      <p><strong>As it was</strong> after step ${this.travel} of ${found.instance.sequence}${entry ? html`, ${when(entry.at)}` : nothing}, lived through again from the journal.</p>
      <div class="actions"><button @click=${() => this.#return()}>Back to now</button>
        ${may('operator', 'admin') ? html`<button @click=${() => this.#fork()}>Begin a new instance from here</button>` : nothing}</div></div>`;
  }

  #slider(now) {
    if (now.sequence < 2) {
      return nothing;
    }
    const at = this.travel ?? now.sequence;
    return html`<div class="travel"><label for="travel">Step <output>${at}</output> of ${now.sequence}</label>
      <input id="travel" type="range" min="1" max=${now.sequence} .value=${String(at)}
        aria-valuetext="Step ${at} of ${now.sequence}"
        @input=${(event) => this.#travelTo(Number(event.target.value))}></div>`;
  }

  async #travelTo(sequence) {
    const newest = this.#now.value?.instance.sequence;
    if (newest !== undefined && sequence >= newest) {
      this.#return();
      return;
    }
    this.travel = sequence;
    try {
      const past = await get(`/instances/${part(this.name)}?at=${sequence}`);
      if (this.travel === sequence) {
        this.past = past;
      }
    } catch (found) {
      this.answer = problem(found);
    }
  }

  #return() {
    this.travel = null;
    this.past = null;
  }

  /** What may happen next, and to whom it is left. */
  #next(now) {
    if (now.status === 'ended') {
      return html`<section class="card"><h2>Ended</h2><p class="soft">It takes no more events.</p></section>`;
    }
    const permitted = (now.permitted ?? []).filter((one) => one.allowed);
    const others = now.awaited.filter((event) => !permitted.some((one) => one.event === event));
    const deadlines = now.deadlines.filter((one) => !isNever(one.due));
    return html`<section class="card"><h2>What may happen</h2>
      ${permitted.length
        ? html`<div class="events" role="group" aria-label="Permitted events">${permitted.map(
            (one) => html`<button class="primary" title=${one.description ?? ''} @click=${() => this.#begin(one)}>${one.event}</button>`,
          )}</div>`
        : html`<p class="soft">${now.status === 'live' ? 'No event is yours to send.' : `It is ${now.status} and takes no events.`}</p>`}
      ${others.length ? html`<p class="soft small">It also waits for ${others.map((event, i) => html`${i ? ', ' : ''}<code>${event}</code>`)}, which others send.</p>` : nothing}
      ${deadlines.length
        ? html`<ul class="deadlines">${deadlines.map(
            (one) => html`<li><sb-time-left .due=${one.due}></sb-time-left> <span>until <code>${one.event}</code>${one.state ? html` of ${one.state}` : nothing}</span></li>`,
          )}</ul>`
        : nothing}
      ${may('operator', 'agent', 'admin') ? html`<button class="link small" @click=${() => this.#begin(null)}>Send another event…</button>` : nothing}
    </section>`;
  }

  #begin(one) {
    const close = () => { this.asking = null; };
    if (one && Object.keys(one.schema?.properties ?? {}).length === 0) {
      this.#send(one.event, null);
      return;
    }
    const content = one
      ? html`<sb-event-form .about=${one.description ?? ''} .schema=${one.schema ?? {}}
          @cancelled=${close} @filled=${(event) => { close(); this.#send(one.event, event.detail); }}></sb-event-form>`
      : html`<form class="form" @submit=${(event) => this.#sendAny(event, close)}>
          <label class="field"><span>Event</span><input name="event" required autocomplete="off" autofocus></label>
          <label class="field"><span>Data <span class="soft">JSON, may be empty</span></span><textarea name="data" rows="3" class="mono" spellcheck="false"></textarea></label>
          <div class="actions"><button class="primary">Send</button><button type="button" @click=${close}>Cancel</button></div></form>`;
    this.asking = html`<sb-dialog heading=${one ? one.event : 'Send an event'} .content=${content} @closed=${close}></sb-dialog>`;
  }

  #sendAny(event, close) {
    event.preventDefault();
    const form = new FormData(event.target);
    const text = form.get('data').trim();
    try {
      const data = text === '' ? null : JSON.parse(text);
      close();
      this.#send(form.get('event').trim(), data);
    } catch {
      event.target.elements.data.setCustomValidity('Expected JSON.');
      event.target.reportValidity();
      event.target.elements.data.setCustomValidity('');
    }
  }

  #send(event, data) {
    return this.#order('events', data === null ? { event } : { event, data }, `It took ${event}.`);
  }

  async #order(path, body, said) {
    try {
      await post(`/instances/${part(this.name)}/${path}`, body, { 'Idempotency-Key': freshKey() });
      this.answer = html`<div class="notice good" role="status"><p>${said}</p></div>`;
    } catch (found) {
      this.answer = refusal(found);
    }
    this.#now.now();
  }

  #controls(now) {
    if (!may('operator', 'admin') || now.status === 'ended') {
      return nothing;
    }
    return html`<div class="actions">
      ${now.status === 'live'
        ? html`<button @click=${() => this.#order('pause', {}, 'It is paused; its timers stand still.')}>Pause</button>`
        : html`<button @click=${() => this.#order('resume', {}, 'It goes on.')}>Resume</button>`}
      <button class="danger" @click=${() => this.#confirmCancel()}>Cancel it…</button></div>`;
  }

  #confirmCancel() {
    const close = () => { this.asking = null; };
    const content = html`<p>It ends, with everything it invoked. This can’t be undone; the journal keeps what happened.</p>
      <div class="actions"><button class="danger" @click=${() => { close(); this.#order('cancel', {}, 'It was cancelled.'); }}>Cancel the instance</button>
        <button @click=${close} autofocus>Let it go on</button></div>`;
    this.asking = html`<sb-dialog heading="Cancel ${this.name}?" .content=${content} @closed=${close}></sb-dialog>`;
  }

  async #fork() {
    try {
      const receipt = await post(`/instances/${part(this.name)}/fork`, { sequence: this.travel }, { 'Idempotency-Key': freshKey() });
      location.hash = to(['instances', receipt.instance]);
    } catch (found) {
      this.answer = refusal(found);
    }
  }
}

customElements.define('sb-instance', InstancePage);
