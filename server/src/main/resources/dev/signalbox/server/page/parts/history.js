import { html, nothing } from 'lit';
import { inline, millis } from '../format.js';
import { Part } from '../part.js';
import { guards, json, states, tag, when, who } from './words.js';

/** How many lines are drawn at first. */
const FIRST = 60;

/** What happened, the newest first: steps and refusals, each with everything the journal has. */
class History extends Part {
  static properties = {
    entries: { attribute: false },
    refusals: { attribute: false },
    at: { attribute: false },
    travel: { attribute: false },
    most: { state: true },
  };

  constructor() {
    super();
    this.most = FIRST;
  }

  render() {
    const before = new Map();
    const context = {};
    for (const entry of this.entries) {
      const old = {};
      for (const name of [...Object.keys(entry.changes ?? {}), ...(entry.cleared ?? [])]) {
        old[name] = context[name];
      }
      before.set(entry.sequence, old);
      Object.assign(context, entry.changes ?? {});
      (entry.cleared ?? []).forEach((name) => delete context[name]);
    }
    const all = [...this.entries, ...this.refusals].sort(
      (a, b) => millis(b.at) - millis(a.at) || order(b) - order(a),
    );
    return html`<ol class="history">
      ${all.slice(0, this.most).map((entry) =>
        entry.kind === 'refusal' ? this.#refusal(entry) : this.#step(entry, before.get(entry.sequence)),
      )}</ol>
      ${all.length > this.most
        ? html`<p class="pager"><button @click=${() => { this.most += 200; }}>Show more</button></p>`
        : nothing}`;
  }

  #step(entry, before) {
    const changed = [...Object.keys(entry.changes ?? {}), ...(entry.cleared ?? [])];
    const current = this.at === entry.sequence;
    return html`<li class=${current ? 'current' : ''}><details ?open=${current}>
      <summary><span class="number">${entry.sequence}</span>
        <span class="what"><strong>${name(entry)}</strong> ${states(entry.states)}
          ${changed.length && entry.sequence > 1 ? html`<span class="soft changed">${changed.join(', ')}</span>` : nothing}</span>
        <span class="soft by">${who(entry.event?.actor)}</span><span class="soft at">${when(entry.at)}</span></summary>
      <div class="detail">
        ${entry.event?.data !== undefined && entry.event.data !== null && entry.kind !== 'fork' ? html`<h4>Data</h4>${json(entry.event.data)}` : nothing}
        ${changed.length ? html`<h4>Context</h4>${this.#diff(entry, before)}` : nothing}
        ${entry.guards?.length ? html`<h4>Guards</h4>${guards(entry.guards)}` : nothing}
        ${this.#more('Records', entry.records, (r) => html`<code>${r.record ?? r.kind}</code> ${inline(r.data ?? '')}`)}
        ${this.#more('Effects', entry.effects, (e) => html`<code>${e.name}</code> ${inline(e.input ?? '')} <span class="soft">${e.key}</span>`)}
        ${this.#more('Timers', [].concat(entry.timers ?? []), (t) => html`<code>${inline(t)}</code>`)}
        ${this.#more('Children', entry.children, (c) => html`<code>${inline(c)}</code>`)}
        ${this.#more('Messages', entry.messages, (m) => html`<code>${inline(m)}</code>`)}
        <p class="soft small"><code class="hash">${entry.hash}</code></p>
        ${this.travel ? html`<button @click=${() => this.travel(entry.sequence)}>Show it as it was then</button>` : nothing}
      </div></details></li>`;
  }

  #refusal(entry) {
    return html`<li class="refused"><details>
      <summary><span class="number">–</span><span class="what"><strong>${entry.event?.name ?? 'timer'}</strong> ${tag(entry.code, 'bad')}
        <span class="soft changed">${entry.message}</span></span>
        <span class="soft by">${who(entry.event?.actor)}</span><span class="soft at">${when(entry.at)}</span></summary>
      <div class="detail"><p>${entry.message}</p>
        ${entry.event?.data !== undefined && entry.event.data !== null ? html`<h4>Data</h4>${json(entry.event.data)}` : nothing}
        ${entry.guards?.length ? html`<h4>Guards</h4>${guards(entry.guards)}` : nothing}
        <p class="soft small">After step ${entry.after}, in ${states(entry.states)}</p></div></details></li>`;
  }

  #diff(entry, before) {
    const rows = [
      ...Object.entries(entry.changes ?? {}).map(([field, value]) => [field, before[field], value]),
      ...(entry.cleared ?? []).map((field) => [field, before[field], undefined]),
    ];
    return html`<dl class="fields diff">${rows.map(
      ([field, old, value]) => html`<div><dt>${field}</dt><dd>
        ${old === undefined ? nothing : html`<del>${inline(old, 300)}</del> `}
        ${value === undefined ? html`<span class="soft">cleared</span>` : html`<ins>${inline(value, 600)}</ins>`}</dd></div>`,
    )}</dl>`;
  }

  #more(title, items, show) {
    return items?.length ? html`<h4>${title}</h4><ul class="plain-list">${items.map((item) => html`<li>${show(item)}</li>`)}</ul>` : nothing;
  }
}

function name(entry) {
  return entry.kind === 'event' || entry.kind === 'message' || entry.kind === 'effect' || entry.kind === 'timer'
    ? (entry.event?.name ?? entry.kind)
    : entry.kind;
}

function order(entry) {
  return entry.kind === 'refusal' ? entry.after + 0.5 : entry.sequence;
}

customElements.define('sb-history', History);
