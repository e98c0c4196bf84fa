import { html, nothing, svg } from 'lit';
import { millis, moment, span } from 'signalbox/format.js';
import { Part } from 'signalbox/part.js';
import { Ticking } from 'signalbox/ticking.js';

/** Wide and narrow: how wide it is drawn, and how much of that is for names. */
const SIZES = { wide: [640, 150, 20], narrow: [340, 96, 13] };
const small = matchMedia('(max-width: 760px)');
const ROW = 22;
const TOP = 6;

/** When each tool ran: a row for each, a bar for each attempt, against the time since the start. */
class Timeline extends Part {
  static properties = { tools: { attribute: false }, from: {}, to: {} };

  constructor() {
    super();
    new Ticking(this);
  }

  render() {
    const tools = this.tools ?? [];
    if (tools.every((tool) => tool.attempts.length === 0)) {
      return tools.length ? html`<p class="soft">No tool has begun yet.</p>` : html`<p class="soft">The plan is not known yet.</p>`;
    }
    const [width, left, letters] = small.matches ? SIZES.narrow : SIZES.wide;
    const begin = millis(this.from);
    const ends = tools.flatMap((tool) => tool.attempts.map((one) => (one.ended_at ? millis(one.ended_at) : Date.now())));
    const end = Math.max(begin + 1, this.to ? millis(this.to) : Date.now(), ...ends);
    const x = (at) => left + ((at - begin) / (end - begin)) * (width - left - 8);
    const height = TOP + tools.length * ROW + 18;
    return html`<svg class="run-timeline" viewBox="0 0 ${width} ${height}" role="img"
      aria-label=${`Tools in time: ${tools.map((tool) => `${tool.name} ${tool.status}`).join(', ')}`}>
      ${tools.map((tool, i) => this.#row(tool, TOP + i * ROW, x, width, left, letters))}
      <text x=${left} y=${height - 4}>${moment(begin)}</text>
      <text x=${width - 8} y=${height - 4} text-anchor="end">${span(end - begin)} later</text></svg>`;
  }

  #row(tool, y, x, width, left, letters) {
    return svg`<text class="name" x="0" y=${y + 15}>${tool.name.length > letters ? `${tool.name.slice(0, letters - 1)}…` : tool.name}</text>
      <path class="grid" d="M${left} ${y + ROW - 2}H${width - 8}"/>
      ${tool.attempts.map((one) => {
        const from = x(millis(one.started_at));
        const to = x(one.ended_at ? millis(one.ended_at) : Date.now());
        return svg`<rect class="bar ${one.status}" x=${from} y=${y + 4} width=${Math.max(3, to - from)} height=${ROW - 10} rx="2"><title>${tool.name}, attempt ${one.attempt}: ${one.status}</title></rect>`;
      })}
      ${tool.attempts.length ? nothing : svg`<text class="soft" x=${left + 4} y=${y + 15}>${tool.status}</text>`}`;
  }
}

customElements.define('runs-timeline', Timeline);
