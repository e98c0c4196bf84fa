import { html } from 'lit';
import { isoMoment, millis, span } from '../format.js';
import { Part } from '../part.js';
import { Ticking } from '../ticking.js';

/** How long it is until a moment, counting down; late when it has passed. */
class TimeLeft extends Part {
  static properties = { due: { attribute: false }, from: { attribute: false } };

  constructor() {
    super();
    new Ticking(this);
  }

  render() {
    const due = millis(this.due);
    const left = due - Date.now();
    const tone = left < 0 ? 'bad' : left < 60_000 ? 'warn' : '';
    return html`<time class="time-left ${tone}" datetime=${isoMoment(due)} title=${isoMoment(due)}
      >${left < 0 ? `${span(left)} late` : span(left)}</time>`;
  }
}

customElements.define('sb-time-left', TimeLeft);
