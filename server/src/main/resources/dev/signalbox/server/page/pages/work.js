import { html, nothing } from 'lit';
import { get, may, part, query } from '../api.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { empty, problem, since, states } from '../parts/words.js';
import { Doing } from '../parts/doing.js';
import '../parts/time-left.js';
import './budgets.js';

const TABS = {
  tasks: { title: 'Tasks', machine: 'task', none: ['No task', 'Tasks appear when a system queues work.'] },
  workers: { title: 'Workers', machine: 'worker', none: ['No worker', 'Workers register when they start.'] },
  locks: { title: 'Locks', machine: 'lock', none: ['No lock', 'A lock appears when something takes it.'] },
  budgets: { title: 'Budgets' },
};

function due(instance) {
  return instance.deadlines.length
    ? html`<sb-time-left .due=${Math.min(...instance.deadlines.map((one) => one.due))}></sb-time-left>`
    : html`<span class="soft">–</span>`;
}

function tasksOf(worker) {
  const tasks = [].concat(worker.context.tasks ?? worker.context.task ?? []).filter((task) => task);
  return tasks.length
    ? tasks.map((task) => html`<a href=${to(['instances', task])}>${task}</a> `)
    : html`<span class="soft">–</span>`;
}

const COLUMNS = {
  tasks: [
    ['Task', (i) => html`<a class="id" href=${to(['instances', i.id])}>${i.id}</a>`],
    ['Kind', (i) => i.context.kind],
    ['State', (i) => states(i.leaves)],
    ['Priority', (i) => i.context.priority],
    ['Worker', (i) => i.context.worker || html`<span class="soft">–</span>`],
    ['Tries', (i) => i.context.executions],
    ['Limit', due],
    ['Error', (i) => (i.context.error ? html`<span class="bad">${i.context.error}</span>` : html`<span class="soft">–</span>`)],
  ],
  workers: [
    ['Worker', (i) => html`<a class="id" href=${to(['instances', i.id])}>${i.context.name || i.id}</a>`],
    ['Pool', (i) => i.context.pool || html`<span class="soft">–</span>`],
    ['State', (i) => states(i.leaves)],
    ['Task', tasksOf],
    ['Restarts', (i) => i.context.restarts],
    ['Last heartbeat', (i) => (i.context.last_heartbeat ? since(i.context.last_heartbeat) : html`<span class="soft">–</span>`)],
    ['Since', (i) => since(i.since)],
  ],
  locks: [
    ['Resource', (i) => html`<a class="id" href=${to(['instances', i.id])}>${i.context.resource || i.id}</a>`],
    ['State', (i) => states(i.leaves)],
    ['Holder', (i) => i.context.holder || html`<span class="soft">free</span>`],
    ['Token', (i) => i.context.token],
    ['Waiting', (i) => (i.context.queue.length ? i.context.queue.map((one) => one.holder ?? one).join(', ') : html`<span class="soft">nobody</span>`)],
    ['Limit', due],
  ],
};

/** The task queue, the workers, the locks and the budgets that every system shares. */
class Work extends Part {
  static properties = { tab: {}, ended: { state: true } };

  #list = new Loaded(this, (signal) => this.#load(signal), (entry) => entry.machine === TABS[this.tab]?.machine);

  #doing = new Doing(this, () => this.#list.now());

  constructor() {
    super();
    this.tab = 'tasks';
    this.ended = false;
  }

  willUpdate(changed) {
    if (this.hasUpdated && (changed.has('tab') || changed.has('ended'))) {
      this.#doing.forget();
      this.#list.another();
    }
  }

  async #load(signal) {
    if (this.tab === 'budgets') {
      return [];
    }
    const { machine } = TABS[this.tab] ?? TABS.tasks;
    // What has ended is left out by the server, so that it does not push out what still waits.
    const statuses = this.ended ? [''] : ['live', 'paused', 'halted'];
    const pages = await Promise.all(
      statuses.map((status) => get(`/instances${query({ machine, status, order: 'newest', most: 200 })}`, signal)),
    );
    return pages.flatMap((page) => page.instances);
  }

  render() {
    const tab = TABS[this.tab] ?? TABS.tasks;
    const shown = this.#list.value ?? [];
    const tabs = html`<nav class="tabs" aria-label="Work">${Object.entries(TABS).map(([key, { title }]) => html`<a href=${to(['work', key])} aria-current=${key === this.tab ? 'page' : nothing}>${title}</a>`)}</nav>`;
    if (this.tab === 'budgets') {
      return html`<div class="title-row"><h1>Work</h1></div>${tabs}<sb-budgets></sb-budgets>`;
    }
    return html`
      <div class="title-row"><h1>Work</h1>
        <label class="check inline"><input type="checkbox" .checked=${this.ended} @change=${(event) => { this.ended = event.target.checked; }}> Show ended</label></div>
      ${tabs} ${problem(this.#list.problem)} ${this.#doing.shown}
      ${this.#list.value ? this.#summary(shown) : nothing}
      <section class="card flush" aria-label=${tab.title}>${this.#list.value && shown.length === 0 ? empty(...tab.none) : this.#table(shown)}</section>`;
  }

  #summary(all) {
    const counts = new Map();
    all.forEach((one) => one.leaves.forEach((state) => counts.set(state, (counts.get(state) ?? 0) + 1)));
    return counts.size
      ? html`<ul class="summary">${[...counts].map(([state, number]) => html`<li><strong>${number}</strong> <span class="state-name">${state}</span></li>`)}</ul>`
      : nothing;
  }

  #table(shown) {
    const columns = COLUMNS[this.tab] ?? COLUMNS.tasks;
    const act = may('operator', 'admin');
    return html`<table class="stacking ${act ? 'with-actions' : ''}"><thead><tr>${columns.map(([title]) => html`<th>${title}</th>`)}${act ? html`<th><span class="unseen">Actions</span></th>` : nothing}</tr></thead>
      <tbody>${shown.map((one) => html`<tr>${columns.map(([title, show]) => html`<td data-label=${title}>${show(one)}</td>`)}
        ${act ? html`<td class="row-actions">${this.#actions(one)}</td>` : nothing}</tr>`)}</tbody></table>`;
  }

  /** What an operator may do with it where it stands; the routes ask for the role again. */
  #actions(one) {
    const stands = (...names) => one.leaves.some((state) => names.includes(state));
    const offer = (title, act) => html`<button @click=${act} aria-label="${title} ${one.id}">${title}</button>`;
    const id = part(one.id);
    switch (this.tab) {
      case 'workers':
        return html`${one.awaited.includes('drain') ? offer('Drain', () => this.#doing.now(`${one.id} takes no more tasks.`, `/workers/${id}/drain`)) : nothing}
          ${one.awaited.includes('restart') && may('operator') ? offer('Restart', () => this.#doing.now(`${one.id} starts again.`, `/instances/${id}/events`, { event: 'restart' })) : nothing}`;
      case 'locks':
        return stands('AVAILABLE') || one.status === 'ended'
          ? nothing
          : offer('Break…', () => this.#doing.ask('Break', `Break ${one.context.resource}`, `${one.context.holder}’s token is worth nothing then.`, `/locks/${part(one.context.resource)}/break`));
      default:
        return html`${stands('PERMANENTLY_FAILED') ? offer('Retry', () => this.#doing.now(`A new task was made from ${one.id}.`, `/tasks/${id}/retry`)) : nothing}
          ${one.awaited.includes('cancel') ? offer('Cancel…', () => this.#doing.ask('Cancel', `Cancel ${one.id}`, 'Its result is not taken any more.', `/tasks/${id}/cancel`)) : nothing}`;
    }
  }
}

customElements.define('sb-work', Work);
