import { html, nothing } from 'lit';
import { get } from '../api.js';
import { count, span } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { empty, problem, since, tag } from '../parts/words.js';
import '../parts/chart.js';

const TONES = { quiet: 'good', pending: 'warn', firing: 'bad' };

/** How much happens, as small charts, and what somebody is called for. */
class Metrics extends Part {
  #metrics = new Loaded(this, (signal) => get('/activity', signal));
  #alerts = new Loaded(this, (signal) => get('/alerts', signal), (entry) => entry.machine === 'alert');
  #timer = 0;

  connectedCallback() {
    super.connectedCallback();
    this.#timer = setInterval(() => {
      this.#metrics.soon();
      this.#alerts.soon();
    }, 10_000);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
    super.disconnectedCallback();
  }

  #rules(alerts) {
    const sorted = [...alerts].sort((a, b) => RANK[a.state] - RANK[b.state]);
    return sorted.length === 0
      ? nothing
      : html`<section class="card flush alert-rules"><h2>Alerts</h2><table class="stacking">
        <thead><tr><th>Rule</th><th>State</th><th>Somebody is called when</th><th>It is</th><th>Severity</th><th>Since</th></tr></thead>
        <tbody>${sorted.map((one) => html`<tr>
          <td data-label="Rule"><a href=${to(['instances', one.instance])}>${one.rule}</a></td>
          <td data-label="State">${tag(one.state, TONES[one.state])}</td>
          <td data-label="When">${condition(one)}</td>
          <td data-label="It is">${count(round(one.value))}</td>
          <td data-label="Severity">${one.severity}</td>
          <td data-label="Since">${one.since === null ? html`<span class="soft">–</span>` : since(one.since)}</td></tr>`)}</tbody></table></section>`;
  }

  render() {
    const found = this.#metrics.value;
    return html`<div class="title-row"><h1>Metrics</h1>
      ${found ? html`<p class="soft">a reading every ${span(found.every)}</p>` : ''}</div>
      ${problem(this.#metrics.problem)} ${problem(this.#alerts.problem)}
      ${this.#rules(this.#alerts.value?.alerts ?? [])}
      ${found && found.series.length === 0 ? empty('No readings yet') : ''}
      <div class="charts">${(found?.series ?? []).map((one) => html`<section class="card chart-card" aria-label=${one.title}>
        <header><h2>${one.title}</h2><p><strong>${count(round(one.points.at(-1)?.[1] ?? 0))}</strong> <span class="soft">${one.unit}</span></p></header>
        <sb-chart .label=${one.title} .unit=${one.unit} .points=${one.points}></sb-chart></section>`)}</div>`;
  }
}

/** The worst first. */
const RANK = { firing: 0, pending: 1, quiet: 2 };

function round(value) {
  return Math.abs(value) >= 10 ? Math.round(value) : Math.round(value * 100) / 100;
}

function condition(rule) {
  const labels = Object.entries(rule.labels).map(([name, value]) => `${name} ${value}`).join(', ');
  return html`<code>${rule.metric}</code>${labels ? html` <span class="soft">of ${labels}</span>` : nothing}
    is ${rule.above ? 'above' : 'below'} ${count(rule.threshold)}${rule.for_ms ? html` for ${span(rule.for_ms)}` : nothing}`;
}

customElements.define('sb-metrics', Metrics);
