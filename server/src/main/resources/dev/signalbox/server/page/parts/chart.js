import { html, svg } from 'lit';
import { brief, moment } from '../format.js';
import { Part } from '../part.js';

const WIDTH = 320;
const HEIGHT = 96;
const LEFT = 34;
const BOTTOM = 16;

/** A line over time, small: `points` are pairs of milliseconds and a number. */
class Chart extends Part {
  static properties = { points: { attribute: false }, label: {}, unit: {} };

  render() {
    const points = this.points ?? [];
    if (points.length < 2) {
      return html`<p class="soft chart-waiting">Two readings make a line; the next comes in a moment.</p>`;
    }
    const [first] = points[0];
    const [last] = points.at(-1);
    const top = nice(Math.max(...points.map(([, y]) => y)));
    const x = (t) => LEFT + ((t - first) / Math.max(1, last - first)) * (WIDTH - LEFT - 4);
    const y = (v) => 6 + (1 - v / top) * (HEIGHT - BOTTOM - 6);
    const path = points.map(([t, v], i) => `${i ? 'L' : 'M'}${x(t).toFixed(1)} ${y(v).toFixed(1)}`).join('');
    const newest = points.at(-1)[1];
    return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
      aria-label="${this.label}: ${brief(newest)} ${this.unit ?? ''} now, at most ${brief(Math.max(...points.map(([, v]) => v)))}">
      ${[0, top / 2, top].map(
        (v) => svg`<path class="grid" d="M${LEFT} ${y(v)}H${WIDTH - 4}"/>
          <text x=${LEFT - 5} y=${y(v) + 3.5} text-anchor="end">${short(v)}</text>`,
      )}
      <path class="area" d="${path}L${x(last)} ${y(0)}L${x(first)} ${y(0)}z"/>
      <path class="curve" d=${path}/>
      <circle class="tip" cx=${x(last)} cy=${y(newest)} r="2.6"/>
      <text x=${LEFT} y=${HEIGHT - 3}>${moment(first)}</text>
      <text x=${WIDTH - 4} y=${HEIGHT - 3} text-anchor="end">${moment(last)}</text>
    </svg>`;
  }
}

function short(value) {
  return value >= 10 || Number.isInteger(value) ? brief(Math.round(value)) : String(Number(value.toPrecision(2)));
}

/** The next number above that people like: 1, 2, 5 and their tens. */
function nice(value) {
  if (value <= 0) {
    return 1;
  }
  const ten = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= value);
}

customElements.define('sb-chart', Chart);
