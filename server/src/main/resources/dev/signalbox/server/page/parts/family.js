import { html, nothing } from 'lit';
import { get, part } from '../api.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { states, status } from './words.js';

/** An instance and what it invoked, as a tree; lower levels are loaded when they are opened. */
class Family extends Part {
  static properties = {
    root: { attribute: false },
    children_: { attribute: false },
    below: { state: true },
  };

  constructor() {
    super();
    this.below = new Map();
  }

  render() {
    return html`<ul class="tree">
      ${this.root.parent
        ? html`<li><a href=${to(['instances', this.root.parent])}>${this.root.parent}</a> <span class="soft">invoked it</span></li>`
        : nothing}
      <li><strong>${this.root.id}</strong>${this.#list(this.children_)}</li>
    </ul>`;
  }

  #list(children) {
    return children.length
      ? html`<ul>${children.map((child) => html`<li>
          <a href=${to(['instances', child.id])}>${child.id}</a> <span class="soft">${child.machine}</span> ${states(child.leaves)} ${status(child.status)}
          ${this.below.has(child.id)
            ? this.#list(this.below.get(child.id))
            : html`<button class="link small" aria-label="Show what ${child.id} invoked" @click=${() => this.#open(child.id)}>below</button>`}
        </li>`)}</ul>`
      : html` <span class="soft">invoked nothing</span>`;
  }

  async #open(id) {
    const { instances } = await get(`/instances?parent=${part(id)}&most=100`);
    this.below = new Map(this.below).set(id, instances);
  }
}

customElements.define('sb-family', Family);
