import { html } from 'lit';
import { get } from '../api.js';
import { count, span } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { empty, problem } from '../parts/words.js';
import '../parts/chart.js';

/** How much happens, as small charts that the journal itself tells, so they are there at once. */
class Metrics extends Part {
  #metrics = new Loaded(this, (signal) => get('/activity', signal));
  #timer = 0;

  connectedCallback() {
    super.connectedCallback();
    this.#timer = setInterval(() => this.#metrics.soon(), 10_000);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
    super.disconnectedCallback();
  }

  render() {
    const found = this.#metrics.value;
    return html`<div class="title-row"><h1>Metrics</h1>
      ${found ? html`<p class="soft">a reading every ${span(found.every)}, as the journal tells it</p>` : ''}</div>
      ${problem(this.#metrics.problem)}
      ${found && found.series.length === 0 ? empty('No readings yet') : ''}
      <div class="charts">${(found?.series ?? []).map((one) => html`<section class="card chart-card" aria-label=${one.title}>
        <header><h2>${one.title}</h2><p><strong>${count(round(one.points.at(-1)?.[1] ?? 0))}</strong> <span class="soft">${one.unit}</span></p></header>
        <sb-chart .label=${one.title} .unit=${one.unit} .points=${one.points}></sb-chart></section>`)}</div>`;
  }
}

function round(value) {
  return Math.abs(value) >= 10 ? Math.round(value) : Math.round(value * 100) / 100;
}

customElements.define('sb-metrics', Metrics);
