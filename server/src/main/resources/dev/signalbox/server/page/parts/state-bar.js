import { html } from 'lit';
import { millis, span } from '../format.js';
import { Part } from '../part.js';
import { Ticking } from '../ticking.js';

/**
 * How long an instance stayed where, in order: one bar, and what each state has in all.
 * `stays` are `{ states, from, to }`; a last one without `to` goes on.
 */
class StateBar extends Part {
  static properties = { stays: { attribute: false } };

  constructor() {
    super();
    new Ticking(this);
  }

  render() {
    const now = Date.now();
    const stays = (this.stays ?? []).map((stay) => ({
      name: stay.states.join(' + '),
      open: stay.to === null,
      ms: Math.max(0, (stay.to === null ? now : millis(stay.to)) - millis(stay.from)),
    }));
    const totals = new Map();
    stays.forEach(({ name, ms }) => totals.set(name, (totals.get(name) ?? 0) + ms));
    const all = [...totals.values()].reduce((sum, ms) => sum + ms, 0) || 1;
    const colour = new Map([...totals.keys()].map((name, i) => [name, (i % 8) + 1]));
    return html`
      <div class="state-bar" role="img" aria-label="Time in each state">
        ${stays.map(
          (stay) => html`<span class="c${colour.get(stay.name)}" .style=${`flex-grow:${(stay.ms / all) * 1000}`}
            title="${stay.name}: ${span(stay.ms)}"></span>`,
        )}
      </div>
      <ul class="legend">
        ${[...totals].map(
          ([name, ms]) => html`<li><span class="dot c${colour.get(name)}"></span><span>${name}</span>
            <span class="soft">${span(ms)}</span></li>`,
        )}
      </ul>
    `;
  }
}

customElements.define('sb-state-bar', StateBar);
