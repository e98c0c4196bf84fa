import { html, nothing } from 'lit';
import { get, part } from '../api.js';
import { brief, count, plural, span } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { figuresOf } from '../figures.js';
import { empty, problem, states } from '../parts/words.js';
import { Ticking } from '../ticking.js';
import '../parts/diagram.js';

/** Everything at a glance: what lives where, what flows, what is late or stands still. */
class Overview extends Part {
  static properties = { resting: { state: true } };

  #overview = new Loaded(this, (signal) => get('/overview', signal), () => true);

  constructor() {
    super();
    this.resting = false;
    new Ticking(this);
  }

  render() {
    const all = this.#overview.value;
    if (!all) {
      return html`<h1>Overview</h1>${problem(this.#overview.problem)}`;
    }
    const titles = new Map(all.systems.map((system) => [system.name, system.title]));
    const machines = [...all.machines].sort((a, b) => rank(a) - rank(b));
    const busy = machines.filter(isBusy);
    const idle = machines.filter((machine) => !isBusy(machine));
    return html`
      <div class="title-row"><h1>Overview</h1><p class="soft">flow of the last ${span(all.window)}</p></div>
      ${problem(this.#overview.problem)} ${this.#figures(all)}
      ${all.troubles.length ? this.#troubles(all) : nothing}
      ${busy.length
        ? html`<div class="machines">${busy.map((machine) => this.#machine(machine, titles.get(machine.system), all.at_least.includes('late')))}</div>`
        : empty('Nothing lives here yet', html`Start an instance on <a href="#/instances">Instances</a>, or publish a machine on <a href="#/machines">Machines</a>.`)}
      ${idle.length ? this.#rest(idle, titles) : nothing}
    `;
  }

  /** Machines in which nothing lives: their names, or their drawings for who wants them. */
  #rest(idle, titles) {
    return html`<section class="idle"><h2>At rest
        <button class="link small" aria-expanded=${this.resting} @click=${() => { this.resting = !this.resting; }}>${this.resting ? 'Names only' : 'Draw them'}</button></h2>
      ${this.resting
        ? html`<div class="machines">${idle.map((machine) => this.#machine(machine, titles.get(machine.system)))}</div>`
        : html`<ul>${idle.map(
            (machine) => html`<li><a href=${to(['machines', machine.name], { version: machine.version })}>${machine.name}</a> <span class="soft">v${machine.version}</span></li>`)}</ul>`}</section>`;
  }

  #figures(all) {
    const figure = (value, title, href, tone = '') => html`<a class="figure-card ${value ? tone : ''}" href=${href}><strong>${count(value)}</strong> <span>${title}</span></a>`;
    const counted = (name) => (all.at_least.includes(name) ? `or more ${name}` : name);
    return html`<div class="figures">
      ${figure(all.live, 'live', to('instances', { status: 'live' }))}
      ${figure(all.approvals, 'to approve', '#/approvals', 'warn')}
      ${figure(all.late, counted('late'), to('instances', { sort: 'due' }), 'bad')}
      ${figure(all.halted, counted('halted'), to('instances', { status: 'halted' }), 'bad')}
      ${figure(all.alerts, all.alerts === 1 ? 'alert fires' : 'alerts fire', '#/metrics', 'bad')}
      ${figure(all.paused, counted('paused'), to('instances', { status: 'paused' }), 'warn')}
      ${figure(all.steps, `steps in ${span(all.window)}`, '#/metrics')}
      ${figure(all.refusals, `refusals in ${span(all.window)}`, to('instances', { sort: 'refused' }), 'warn')}
    </div>`;
  }

  #troubles(all) {
    return html`<section class="card flush alerts"><h2>What needs a look</h2><ul>${all.troubles.map(
      (one) => html`<li><span class="tag ${one.severity === 'warning' ? 'warn' : 'bad'}">${one.kind}</span>
        <div>${one.instance ? html`<a href=${to(['instances', one.instance])}>${one.instance}</a> ` : nothing}${one.states ? states(one.states) : nothing} ${one.message}</div></li>`,
    )}</ul></section>`;
  }

  #machine(machine, system, more = false) {
    const { counts, flows } = figuresOf(machine);
    const flowing = machine.flows.reduce((sum, flow) => sum + flow.count, 0);
    return html`<article class="card machine-card">
      <header><div><p class="soft small">${system}</p><h2><a href=${to(['machines', machine.name], { version: machine.version })}>${machine.name}</a> <span class="soft">v${machine.version}</span></h2></div>
        <p class="soft">${plural(machine.live, 'live', 'live')}, ${brief(flowing)} moved${machine.late ? html`, <span class="bad">${count(machine.late)} ${more ? 'or more late' : 'late'}</span>` : nothing}</p></header>
      <sb-diagram .label=${machine.name} .address=${`/machines/${part(`${machine.name}@${machine.version}`)}/diagram.svg?title=false&badges=true&words=false`}
        .counts=${counts} .flows=${flows} .late=${machine.late_states ?? []}></sb-diagram></article>`;
  }
}

/** The systems come first, then what they share, then what was published besides. */
function rank(machine) {
  return { services: 1, others: 2 }[machine.system] ?? 0;
}

function isBusy(machine) {
  return machine.live > 0 || machine.flows.length > 0;
}

customElements.define('sb-overview', Overview);
