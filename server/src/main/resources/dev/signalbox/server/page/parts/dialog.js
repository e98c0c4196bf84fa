import { html } from 'lit';
import { Part } from '../part.js';

/**
 * A question in front of the page. The browser's own dialog keeps the focus inside, closes with
 * Escape and gives the focus back.
 */
class Dialog extends Part {
  static properties = { heading: {}, content: { attribute: false } };

  render() {
    return html`<dialog aria-labelledby="dialog-heading" @close=${() => this.dispatchEvent(new Event('closed'))}>
      <h2 id="dialog-heading">${this.heading}</h2>
      ${this.content}
    </dialog>`;
  }

  firstUpdated() {
    this.querySelector('dialog').showModal();
  }

  close() {
    this.querySelector('dialog').close();
  }
}

customElements.define('sb-dialog', Dialog);
