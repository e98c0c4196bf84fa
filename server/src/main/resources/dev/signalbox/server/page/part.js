import { LitElement } from 'lit';

/**
 * A component of the page. It draws into the document itself, so that one style sheet, labels and
 * headings reach across components.
 */
export class Part extends LitElement {
  createRenderRoot() {
    return this;
  }
}
