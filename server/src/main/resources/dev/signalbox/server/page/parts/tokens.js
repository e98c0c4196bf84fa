import { html, nothing } from 'lit';
import { get, part, post } from '../api.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { since, tag, problem } from './words.js';
import { refusal } from './refusal.js';
import './dialog.js';

const TONES = { ACTIVE: 'good', EXPIRED: 'calm', REVOKED: 'bad' };

/** Who may come in: every token without its secret, and the end of one. */
class Tokens extends Part {
  static properties = { answer: { state: true }, asking: { state: true } };

  #tokens = new Loaded(this, (signal) => get('/tokens', signal), (entry) => entry.machine === 'token');

  constructor() {
    super();
    this.answer = nothing;
    this.asking = nothing;
  }

  render() {
    const tokens = [...(this.#tokens.value?.tokens ?? [])].reverse();
    return html`${problem(this.#tokens.problem)} ${this.answer} ${this.asking}
      <section class="card flush"><h2>Tokens</h2><table class="stacking with-actions">
      <thead><tr><th>Whose</th><th>State</th><th>Roles</th><th>Only for</th><th>Ends</th><th><span class="unseen">Actions</span></th></tr></thead>
      <tbody>${tokens.map((one) => html`<tr>
        <td data-label="Whose">${one.name}</td>
        <td data-label="State">${tag(one.state.toLowerCase(), TONES[one.state])}</td>
        <td data-label="Roles">${one.roles.join(', ')}</td>
        <td data-label="Only for">${one.instance ?? (one.machines.join(', ') || html`<span class="soft">everything</span>`)}</td>
        <td data-label="Ends">${since(one.expires_at)}</td>
        <td class="row-actions">${one.state === 'ACTIVE' ? html`<button aria-label="Revoke the token of ${one.name}" @click=${() => this.#ask(one)}>Revoke…</button>` : nothing}</td></tr>`)}</tbody></table></section>`;
  }

  #ask(token) {
    const close = () => { this.asking = nothing; };
    const revoke = async () => {
      close();
      try {
        await post(`/tokens/${part(token.id)}/revoke`, {});
        this.answer = html`<div class="notice good" role="status"><p>The token of ${token.name} is worth nothing any more.</p></div>`;
      } catch (found) {
        this.answer = refusal(found);
      }
      this.#tokens.now();
    };
    const content = html`<p>Whoever uses it is refused at once, and its sessions end. It can’t be taken back.</p>
      <div class="actions"><button class="danger" @click=${revoke}>Revoke</button><button @click=${close}>Leave it</button></div>`;
    this.asking = html`<sb-dialog heading="Revoke the token of ${token.name}" .content=${content} @closed=${close}></sb-dialog>`;
  }
}

customElements.define('sb-tokens', Tokens);
