import { html, nothing } from 'lit';
import { part, save, text } from 'signalbox/api.js';
import { count } from 'signalbox/format.js';
import { Part } from 'signalbox/part.js';
import { problem } from 'signalbox/parts/words.js';

/** More of a text than this is for the file, not for the page. */
const MOST = 100_000;

/** What shows what happened, each piece by its hash; read when somebody opens it. */
class Evidence extends Part {
  static properties = { run: {}, evidence: { attribute: false }, read: { state: true } };

  constructor() {
    super();
    this.read = new Map();
  }

  render() {
    return html`<ul class="run-evidence">${(this.evidence ?? []).map((piece) => html`<li><details @toggle=${(event) => event.target.open && this.#open(piece)}>
      <summary>${piece.name} <span class="soft">${count(piece.bytes)} bytes</span> <code class="hash">${piece.sha256.slice(0, 12)}</code></summary>
      ${this.#content(piece)}</details></li>`)}</ul>`;
  }

  #content(piece) {
    const found = this.read.get(piece.sha256);
    if (found === undefined) {
      return nothing;
    }
    if (found instanceof Error) {
      return problem(found);
    }
    const shown = found.slice(0, MOST);
    return html`${piece.name === 'diff' ? diff(shown) : html`<pre tabindex="0" aria-label=${piece.name}>${shown || '(empty)'}</pre>`}
      ${found.length > MOST ? html`<p class="soft">There is more. <button class="quiet" @click=${() => this.#save(piece)}>Save the whole file</button></p>` : nothing}`;
  }

  async #save(piece) {
    try {
      await save(`/runs/${part(this.run)}/evidence/${piece.sha256}`, `${piece.name}-${piece.sha256.slice(0, 12)}`);
    } catch (failure) {
      this.read = new Map(this.read).set(piece.sha256, failure);
    }
  }

  async #open(piece) {
    if (this.read.has(piece.sha256)) {
      return;
    }
    let found;
    try {
      found = await text(`/runs/${part(this.run)}/evidence/${piece.sha256}`);
    } catch (failure) {
      found = failure;
    }
    this.read = new Map(this.read).set(piece.sha256, found);
  }
}

/** A unified diff, its lines in the colours of what came and went. */
function diff(lines) {
  const tone = (line) => {
    if (/^(\+\+\+|---|diff |index )/.test(line)) {
      return 'file';
    }
    return { '+': 'added', '-': 'removed', '@': 'place' }[line[0]] ?? '';
  };
  return html`<pre class="diff" tabindex="0" aria-label="diff">${lines.trimEnd().split('\n').map((line) => html`<span class=${tone(line)}>${line}\n</span>`)}</pre>`;
}

customElements.define('runs-evidence', Evidence);
