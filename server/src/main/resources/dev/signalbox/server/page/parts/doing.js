import { html, nothing } from 'lit';
import { post } from '../api.js';
import { refusal } from './refusal.js';
import './dialog.js';

/**
 * What a person does with a line of a list: a command, after a question where it needs a reason, and
 * its answer above the list. The routes ask for the role again.
 */
export class Doing {
  #host;
  #after;
  #answer = nothing;
  #asking = nothing;

  /** @param after is called when something was done or refused */
  constructor(host, after) {
    this.#host = host;
    this.#after = after;
  }

  /** The answer to the last command and the question that is open, if any. */
  get shown() {
    return html`${this.#answer} ${this.#asking}`;
  }

  forget() {
    this.#answer = nothing;
    this.#asking = nothing;
    this.#host.requestUpdate();
  }

  /** @param done what is said when it is done, or gives what is shown from the server's answer */
  async now(done, path, body = {}) {
    try {
      const answer = await post(path, body);
      this.#answer = typeof done === 'function' ? done(answer) : html`<div class="notice good" role="status"><p>${done}</p></div>`;
    } catch (found) {
      this.#answer = refusal(found);
    }
    this.#host.requestUpdate();
    this.#after();
  }

  /**
   * Asks for the reason, which the journal keeps.
   *
   * @param more further fields of the form, and what they give for the command; that there is no
   *   reason to give; what is shown when it is done
   */
  ask(word, heading, text, path, { danger = true, inputs = nothing, body = () => ({}), reason = true, done = `${heading}: done.` } = {}) {
    const close = () => {
      this.#asking = nothing;
      this.#host.requestUpdate();
    };
    const send = (event) => {
      event.preventDefault();
      const form = new FormData(event.target);
      close();
      this.now(done, path, { ...body(form), ...(reason ? { reason: form.get('reason').trim() } : {}) });
    };
    const content = html`<p>${text}</p><form class="form" @submit=${send}>${inputs}
      ${reason ? html`<label class="field"><span>Reason</span><input name="reason" required autocomplete="off" ?autofocus=${inputs === nothing}></label>` : nothing}
      <div class="actions"><button class=${danger ? 'danger' : 'primary'}>${word}</button><button type="button" @click=${close}>Leave it</button></div></form>`;
    this.#asking = html`<sb-dialog heading=${heading} .content=${content} @closed=${close}></sb-dialog>`;
    this.#host.requestUpdate();
  }
}
