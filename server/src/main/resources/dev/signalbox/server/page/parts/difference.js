import { html, nothing } from 'lit';
import { part } from '../api.js';
import { Part } from '../part.js';
import { drawing, edgeKey } from './diagram.js';
import { empty, problem, tag } from './words.js';

const TONES = { added: 'good', changed: 'warn', removed: 'bad' };

/** What a drawing shows: states and transitions, each with all that is known about it. */
async function content(address) {
  const svg = await drawing(address);
  const said = (element) => element.querySelector(':scope > title')?.textContent ?? '';
  const states = new Map();
  svg.querySelectorAll('[data-state]').forEach((state) => states.set(state.dataset.state, state.dataset.kind + said(state)));
  const edges = new Map();
  svg.querySelectorAll('[data-trigger]').forEach((edge) => {
    const { from, trigger, to } = edge.dataset;
    const key = edgeKey(from, trigger, to);
    edges.set(key, (edges.get(key) ?? '') + said(edge));
  });
  return { states, edges };
}

function compare(older, newer) {
  const marks = {};
  newer.forEach((known, key) => {
    if (!older.has(key)) {
      marks[key] = 'added';
    } else if (older.get(key) !== known) {
      marks[key] = 'changed';
    }
  });
  older.forEach((_, key) => {
    if (!newer.has(key)) {
      marks[key] = 'removed';
    }
  });
  return marks;
}

/** Two versions of a machine: what was added, changed and removed, drawn on both. */
class Difference extends Part {
  static properties = {
    name: {},
    versions: { attribute: false },
    to: { type: Number },
    from: { type: Number, state: true },
    marks: { state: true },
    problem: { state: true },
  };

  willUpdate(changed) {
    if (changed.has('to') || changed.has('name')) {
      this.from = this.versions.filter((version) => version < this.to).at(-1) ?? this.versions.find((v) => v !== this.to);
    }
    if (this.from !== undefined && (changed.has('from') || changed.has('to') || changed.has('name'))) {
      this.#load();
    }
  }

  #address(version) {
    return `/machines/${part(`${this.name}@${version}`)}/diagram.svg?title=false`;
  }

  async #load() {
    this.marks = null;
    try {
      const [older, newer] = await Promise.all([content(this.#address(this.from)), content(this.#address(this.to))]);
      this.marks = { states: compare(older.states, newer.states), edges: compare(older.edges, newer.edges) };
      this.problem = null;
    } catch (found) {
      this.problem = found;
    }
  }

  render() {
    if (this.from === undefined) {
      return empty('There is one version', 'Publish another, and what differs is drawn here.');
    }
    return html`
      <p class="tools"><label class="inline">Compare with <select @change=${(event) => { this.from = Number(event.target.value); }}>
        ${this.versions.filter((v) => v !== this.to).map((v) => html`<option value=${v} ?selected=${v === this.from}>v${v}</option>`)}</select></label>
        ${tag('added', 'good')} ${tag('changed', 'warn')} ${tag('removed', 'bad')}</p>
      ${problem(this.problem)} ${this.marks ? this.#list() : nothing}
      <div class="side-by-side">
        ${[this.from, this.to].map((version) => html`<section class="card"><h2>v${version}</h2>
          <sb-diagram zoomable .label="${this.name} version ${version}" .address=${this.#address(version)} .marks=${this.marks}></sb-diagram></section>`)}
      </div>`;
  }

  #list() {
    const changes = [
      ...Object.entries(this.marks.states).map(([state, word]) => [word, html`state <strong>${state}</strong>`]),
      ...Object.entries(this.marks.edges).map(([key, word]) => {
        const [from, on, to] = key.split('\n');
        return [word, html`<strong>${from}</strong> → <strong>${to || from}</strong> ${on ? html`on <code>${on}</code>` : nothing}`];
      }),
    ];
    return html`<section class="card spaced"><h2>${changes.length ? 'What differs' : 'Nothing drawn differs'}</h2>
      <ul class="proofs">${changes.map(([word, what]) => html`<li>${tag(word, TONES[word])}<div>${what}</div></li>`)}</ul></section>`;
  }
}

customElements.define('sb-difference', Difference);
