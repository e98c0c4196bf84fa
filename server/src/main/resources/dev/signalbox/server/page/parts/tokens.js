import { html, nothing } from 'lit';
import { get, part, post } from '../api.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { choices, list, problem, since, tag } from './words.js';
import { refusal } from './refusal.js';
import { secretOnce } from './secret.js';
import './dialog.js';

const ROLES = ['viewer', 'operator', 'approver', 'agent', 'admin'];
const TONES = { ACTIVE: 'good', EXPIRED: 'calm', REVOKED: 'bad' };

/**
 * Who may come in: every token without its secret, a new one, and the end of one. A secret is shown
 * when it is made and forgotten with the page.
 */
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
      <section class="card flush"><div class="heading"><h2>Tokens</h2><button @click=${() => this.#order()}>New token…</button></div><table class="stacking with-actions">
      <thead><tr><th>Whose</th><th>State</th><th>Roles</th><th>Only for</th><th>Ends</th><th><span class="unseen">Actions</span></th></tr></thead>
      <tbody>${tokens.map((one) => html`<tr>
        <td data-label="Whose">${one.name}</td>
        <td data-label="State">${tag(one.state.toLowerCase(), TONES[one.state])}</td>
        <td data-label="Roles">${one.roles.join(', ')}</td>
        <td data-label="Only for">${one.instance ?? (one.machines.join(', ') || html`<span class="soft">everything</span>`)}</td>
        <td data-label="Ends">${since(one.expires_at)}</td>
        <td class="row-actions">${one.state === 'ACTIVE' ? html`<button aria-label="Revoke the token of ${one.name}" @click=${() => this.#ask(one)}>Revoke…</button>` : nothing}</td></tr>`)}</tbody></table></section>`;
  }

  #order() {
    const close = () => { this.asking = nothing; };
    const create = async (event) => {
      event.preventDefault();
      const form = new FormData(event.target);
      const given = (name) => form.get(name).trim();
      close();
      try {
        const made = await post('/tokens', {
          name: given('name'),
          roles: form.getAll('roles'),
          machines: list(given('machines')),
          ...(given('instance') ? { instance: given('instance') } : {}),
          days: Number(given('days')),
        });
        this.answer = secretOnce(`The token of ${made.token.name} is made.`, made.secret, () => { this.answer = nothing; });
      } catch (found) {
        this.answer = refusal(found);
      }
      this.#tokens.now();
    };
    const content = html`<form class="form" @submit=${create}>
      <label class="field"><span>Whose</span><input name="name" required maxlength="100" autocomplete="off" autofocus></label>
      ${choices('Roles', 'roles', ROLES)}
      <label class="field"><span>Only for these machines <span class="soft">separated by commas; empty means all</span></span><input name="machines" autocomplete="off"></label>
      <label class="field"><span>Only for this instance <span class="soft">empty means all</span></span><input name="instance" autocomplete="off"></label>
      <label class="field"><span>Days until it ends</span><input name="days" type="number" min="1" max="3650" value="90" required></label>
      <div class="actions"><button class="primary">Make it</button><button type="button" @click=${close}>Leave it</button></div></form>`;
    this.asking = html`<sb-dialog heading="New token" .content=${content} @closed=${close}></sb-dialog>`;
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
