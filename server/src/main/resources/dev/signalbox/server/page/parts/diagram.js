import { html } from 'lit';
import { text } from '../api.js';
import { brief } from '../format.js';
import { Part } from '../part.js';

/** Below this the words of a drawing can't be read. */
const LEAST = 0.72;

/** Drawings by address; a published machine never changes, so neither does its drawing. */
const drawings = new Map();

/** A drawing as an element, without the style it brings for other readers. */
export function drawing(address) {
  if (!drawings.has(address)) {
    drawings.set(
      address,
      text(address)
        .then((source) => {
          const bare = source.replace(/<style>[^<]*<\/style>/, '');
          return new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement;
        })
        .catch((problem) => {
          drawings.delete(address);
          throw problem;
        }),
    );
  }
  return drawings.get(address);
}

/** Two transitions are the same when they go from and to the same states on the same event. */
export function edgeKey(from, on, to) {
  return `${from}\n${on ?? ''}\n${[].concat(to ?? []).join(' ')}`;
}

/**
 * The drawing of a machine, with what is known beyond it: active and visited states, taken
 * transitions, figures at states and transitions. `marks` gives further classes: what was added,
 * changed or removed.
 */
class Diagram extends Part {
  static properties = {
    address: {},
    label: {},
    active: { attribute: false },
    visited: { attribute: false },
    taken: { attribute: false },
    counts: { attribute: false },
    flows: { attribute: false },
    late: { attribute: false },
    marks: { attribute: false },
    pick: { attribute: false },
    zoomable: { type: Boolean },
    legible: { type: Boolean },
    scale: { state: true },
    problem: { state: true },
  };

  #svg = null;
  #watch = null;

  constructor() {
    super();
    this.scale = 0;
    this.problem = null;
  }

  connectedCallback() {
    super.connectedCallback();
    this.#watch = new ResizeObserver(() => this.#size());
    this.#watch.observe(this);
  }

  disconnectedCallback() {
    this.#watch.disconnect();
    super.disconnectedCallback();
  }

  render() {
    return html`
      ${this.zoomable
        ? html`<div class="zoom" role="group" aria-label="Size of the diagram">
            <button class="quiet" aria-label="Smaller" @click=${() => this.#zoom(1 / 1.3)}>−</button>
            <button class="quiet" aria-label="Fit" @click=${() => this.#fit()}>fit</button>
            <button class="quiet" aria-label="Larger" @click=${() => this.#zoom(1.3)}>+</button>
          </div>`
        : ''}
      ${this.problem ? html`<p class="problem">${this.problem.message}</p>` : ''}
      <div class="paper" tabindex=${this.zoomable ? '0' : '-1'} role=${this.zoomable ? 'region' : 'presentation'}
        aria-label=${this.zoomable ? 'Diagram' : ''}></div>
    `;
  }

  updated(changed) {
    if (changed.has('address')) {
      this.#load();
    } else if (this.#svg) {
      this.#paint();
      if (changed.has('active')) {
        this.#reveal();
      }
    }
  }

  /** Brings an active state into sight, without moving the page itself. */
  #reveal() {
    const paper = this.querySelector('.paper');
    const body = [...this.#svg.querySelectorAll('.state.active > .body')].at(-1);
    if (!this.legible || !body) {
      return;
    }
    const there = body.getBoundingClientRect();
    const here = paper.getBoundingClientRect();
    paper.scrollLeft += there.x + there.width / 2 - here.x - here.width / 2;
    paper.scrollTop += there.y + there.height / 2 - here.y - here.height / 2;
  }

  async #load() {
    const { address } = this;
    this.setAttribute('aria-busy', 'true');
    try {
      const svg = (await drawing(address)).cloneNode(true);
      if (this.address !== address) {
        return;
      }
      this.#svg = document.importNode(svg, true);
      // Ids would be there twice when two drawings of a machine are on the page.
      this.#svg.querySelectorAll('[id]').forEach((element) => element.removeAttribute('id'));
      this.problem = null;
      this.querySelector('.paper').replaceChildren(this.#svg);
      this.#paint();
      this.#size();
      this.#reveal();
    } catch (problem) {
      this.problem = problem;
    }
    this.removeAttribute('aria-busy');
  }

  #zoom(factor) {
    const width = this.#natural();
    const now = this.#svg.getBoundingClientRect().width / width;
    this.scale = Math.min(2.5, Math.max(0.1, now * factor));
    this.#size();
  }

  #fit() {
    this.scale = null;
    this.#size();
  }

  #natural() {
    return this.#svg.viewBox.baseVal.width;
  }

  /**
   * As large as there is room, never larger than drawn, unless someone said how large. A legible
   * drawing keeps a size at which it can be read, and shows the part that matters.
   */
  #size() {
    const paper = this.querySelector('.paper');
    if (!this.#svg || !paper) {
      return;
    }
    const { width, height } = this.#svg.viewBox.baseVal;
    const most = parseFloat(getComputedStyle(paper).maxHeight) || Infinity;
    const fit = Math.min(1, paper.clientWidth / width, most / height);
    const legible = this.legible && this.scale !== null && fit < 0.85 * LEAST;
    const scale = this.scale || (legible ? LEAST : fit);
    this.#svg.setAttribute('width', width * scale);
    this.#svg.setAttribute('height', height * scale);
    // Figures stay legible in a small drawing.
    const growth = Math.min(2.4, Math.max(1, 0.95 / scale));
    this.#svg.querySelectorAll('.count').forEach((badge) => {
      const pill = badge.querySelector('.pill');
      // It grows upwards and to the right, away from the state's name.
      const x = pill.x.baseVal.value;
      const y = pill.y.baseVal.value + pill.height.baseVal.value;
      badge.setAttribute(
        'transform',
        growth === 1 ? '' : `translate(${x} ${y}) scale(${growth}) translate(${-x} ${-y})`,
      );
    });
  }

  #paint() {
    const active = new Set(this.active ?? []);
    const visited = new Set(this.visited ?? []);
    const taken = new Set(this.taken ?? []);
    const late = new Set(this.late ?? []);
    const marks = this.marks ?? { states: {}, edges: {} };
    for (const state of this.#svg.querySelectorAll('[data-state]')) {
      const id = state.dataset.state;
      state.classList.toggle('active', active.has(id));
      state.classList.toggle('visited', visited.has(id));
      state.classList.toggle('late', late.has(id));
      mark(state, marks.states[id]);
      this.#pickable(state, id);
      figure(state.querySelector(':scope > .count'), this.counts?.[id]);
    }
    for (const title of this.#svg.querySelectorAll('[data-title]')) {
      figure(title.querySelector(':scope > .count'), this.counts?.[title.dataset.title]);
    }
    const lines = new Map();
    for (const transition of this.#svg.querySelectorAll('[data-trigger]')) {
      const { from, to, trigger } = transition.dataset;
      const key = edgeKey(from, trigger, to);
      const flow = this.flows?.[key] ?? 0;
      transition.classList.toggle('visited', taken.has(key));
      mark(transition, marks.edges[key]);
      figure(transition.querySelector(':scope > .flow'), flow || undefined);
      for (const target of to.split(' ')) {
        const line = lines.get(`${from}\n${target}`) ?? { flow: 0, taken: false, mark: undefined };
        line.flow += flow;
        line.taken ||= taken.has(key);
        line.mark ??= marks.edges[key];
        lines.set(`${from}\n${target}`, line);
      }
    }
    for (const edge of this.#svg.querySelectorAll('.edge')) {
      const line = lines.get(`${edge.dataset.from}\n${edge.dataset.to}`);
      edge.classList.toggle('visited', line?.taken ?? false);
      edge.classList.toggle('flowing', (line?.flow ?? 0) > 0);
      mark(edge, line?.mark);
    }
    this.#describe(active);
  }

  #pickable(state, id) {
    if (!this.pick || state.hasAttribute('tabindex')) {
      return;
    }
    state.setAttribute('tabindex', '0');
    state.setAttribute('role', 'link');
    state.setAttribute('aria-label', id);
    state.addEventListener('click', () => this.pick(id));
    state.addEventListener('keydown', (event) => event.key === 'Enter' && this.pick(id));
  }

  #describe(active) {
    this.#svg.setAttribute('role', this.pick ? 'group' : 'img');
    const where = active.size ? `, in ${[...active].join(', ')}` : '';
    this.#svg.setAttribute('aria-label', (this.label ?? 'Diagram') + where);
  }
}

function mark(element, word) {
  for (const known of ['added', 'changed', 'removed']) {
    element.classList.toggle(known, word === known);
  }
}

function figure(badge, value) {
  if (!badge) {
    return;
  }
  const shown = value !== undefined && value !== null && value !== 0;
  badge.classList.toggle('empty', !shown);
  badge.querySelector('.figure').textContent = shown ? brief(value) : '';
}

customElements.define('sb-diagram', Diagram);
