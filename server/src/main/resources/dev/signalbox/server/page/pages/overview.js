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
  #overview = new Loaded(this, (signal) => get('/overview', signal), () => true);

  constructor() {
    super();
    new Ticking(this);
  }

  render() {
    const all = this.#overview.value;
    if (!all) {
      return html`<h1>Overview</h1>${problem(this.#overview.problem)}`;
    }
    const systems = all.systems.map((system) => ({
      ...system,
      machines: all.machines.filter((machine) => machine.system === system.name),
    }));
    const used = systems.map((system) => ({
      ...system,
      idle: system.machines.filter((machine) => !isBusy(machine)),
      machines: system.machines.filter(isBusy),
    }));
    return html`
      <div class="title-row"><h1>Overview</h1><p class="soft">flow of the last ${span(all.window)}</p></div>
      ${problem(this.#overview.problem)} ${this.#figures(all)}
      ${all.troubles.length ? this.#troubles(all) : nothing}
      ${used.filter((system) => system.machines.length).map((system) => this.#system(system))}
      ${used.every((system) => system.machines.length === 0)
        ? empty('Nothing lives here yet', html`Start an instance on <a href="#/instances">Instances</a>, or publish a machine on <a href="#/machines">Machines</a>.`)
        : nothing}
      ${used.some((system) => system.idle.length)
        ? html`<section class="idle"><h2>At rest</h2><ul>${used.flatMap((system) => system.idle).map(
            (machine) => html`<li><a href=${to(['machines', machine.name], { version: machine.version })}>${machine.name}</a> <span class="soft">v${machine.version}</span></li>`)}</ul></section>`
        : nothing}
    `;
  }

  #figures(all) {
    const figure = (value, title, href, tone = '') => html`<a class="figure-card ${value ? tone : ''}" href=${href}><strong>${count(value)}</strong> <span>${title}</span></a>`;
    return html`<div class="figures">
      ${figure(all.live, 'live', to('instances', { status: 'live' }))}
      ${figure(all.approvals, 'wait for approval', '#/approvals', 'warn')}
      ${figure(all.late, 'late', to('instances', { sort: 'due' }), 'bad')}
      ${figure(all.halted, 'halted', to('instances', { status: 'halted' }), 'bad')}
      ${figure(all.paused, 'paused', to('instances', { status: 'paused' }), 'warn')}
      ${figure(all.steps, `steps in ${span(all.window)}`, '#/metrics')}
      ${figure(all.refusals, `refusals in ${span(all.window)}`, '#/audit', 'warn')}
    </div>`;
  }

  #troubles(all) {
    return html`<section class="card flush alerts"><h2>What needs a look</h2><ul>${all.troubles.map(
      (one) => html`<li><span class="tag ${one.severity === 'warning' ? 'warn' : 'bad'}">${one.kind}</span>
        <div>${one.instance ? html`<a href=${to(['instances', one.instance])}>${one.instance}</a> ` : nothing}${one.states ? states(one.states) : nothing} ${one.message}</div></li>`,
    )}</ul></section>`;
  }

  #system(system) {
    return html`<section class="system" aria-labelledby="system-${system.name}"><h2 id="system-${system.name}">${system.title}</h2>
      <div class="machines">${system.machines.map((machine) => this.#machine(machine))}</div></section>`;
  }

  #machine(machine) {
    const { counts, flows } = figuresOf(machine);
    const flowing = machine.flows.reduce((sum, flow) => sum + flow.count, 0);
    return html`<article class="card machine-card">
      <header><h3><a href=${to(['machines', machine.name], { version: machine.version })}>${machine.name}</a> <span class="soft">v${machine.version}</span></h3>
        <p class="soft">${plural(machine.live, 'live', 'live')}, ${brief(flowing)} moved${machine.late ? html`, <span class="bad">${count(machine.late)} late</span>` : nothing}</p></header>
      <sb-diagram .label=${machine.name} .address=${`/machines/${part(`${machine.name}@${machine.version}`)}/diagram.svg?title=false&badges=true&words=false`}
        .counts=${counts} .flows=${flows} .late=${machine.late_states ?? []}></sb-diagram></article>`;
  }
}

function isBusy(machine) {
  return machine.live > 0 || machine.flows.length > 0;
}

customElements.define('sb-overview', Overview);
