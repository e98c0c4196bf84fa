import { html, nothing } from 'lit';
import { part, post } from 'signalbox/api.js';
import { Part } from 'signalbox/part.js';
import { action } from 'signalbox/parts/action.js';
import { passphrase, proved } from 'signalbox/parts/passphrase.js';
import { refusal } from 'signalbox/parts/refusal.js';
import 'signalbox/parts/time-left.js';
import { word } from './words.js';

/** Of a tool that was cut off, nobody knows whether it happened: there are two questions then. */
function question({ action, identity }) {
  const tool = html`<strong>${action}</strong>`;
  switch (identity?.decision) {
    case 'repeat': return html`May it do ${tool} again?`;
    case 'accept': return html`Is ${tool} to be taken as done?`;
    default: return html`May it do ${tool}?`;
  }
}

/** What the run asks people, with everything in sight and the buttons of those who may decide. */
class RunApproval extends Part {
  static properties = { approval: { attribute: false }, deciding: { state: true }, answer: { state: true } };

  constructor() {
    super();
    this.deciding = null;
    this.answer = nothing;
  }

  render() {
    const { context, id } = this.approval;
    const escalates = context.escalate_after_ms ? context.expires_at - context.expires_in_ms + context.escalate_after_ms : null;
    return html`<section class="card run-approval" aria-label="Approval of ${context.action}">
      <header><h2>${question(context)} ${word(context.risk)}</h2>
        <p class="soft">${escalates
          ? html`escalated in <sb-time-left .due=${escalates}></sb-time-left>`
          : html`expires in <sb-time-left .due=${context.expires_at}></sb-time-left>`}</p></header>
      ${context.description ? html`<p>${context.description}</p>` : nothing}
      ${action(context)}
      <p class="soft">asked by ${context.requester}, digest <code class="hash">${context.digest}</code></p>
      ${this.answer}
      ${this.approval.objection ? html`<p class="soft">${this.approval.objection.message}</p>` : nothing}
      ${this.#buttons(id, context)}
    </section>`;
  }

  /** What the server lets this person do; who has said yes may still say no. */
  #buttons(id, context) {
    const { allowed, objection, passphrase_needed: needed } = this.approval;
    if (!allowed && objection?.code !== 'approved') {
      return nothing;
    }
    if (this.deciding) {
      const approve = this.deciding === 'approve';
      return html`<form class="form" @submit=${(event) => {
        event.preventDefault();
        const reason = new FormData(event.target).get('reason')?.trim();
        this.#send(event.target, `/approvals/${part(id)}/${this.deciding}`, approve ? { digest: context.digest } : { reason });
      }}>${approve ? nothing : html`<label class="field"><span>Reason</span><input name="reason" required autocomplete="off" autofocus></label>`}
        ${needed ? passphrase() : nothing}
        <div class="actions"><button class=${approve ? 'primary' : 'danger'}>${approve ? 'Approve' : 'Reject'}</button><button type="button" @click=${() => { this.deciding = null; }}>Cancel</button></div></form>`;
    }
    return html`<div class="actions">
      ${allowed
        ? html`<button class="primary" @click=${() => {
            if (needed) {
              this.deciding = 'approve';
            } else {
              this.#send(null, `/approvals/${part(id)}/approve`, { digest: context.digest });
            }
          }}>Approve exactly this</button>`
        : nothing}
      <button class="danger" @click=${() => { this.deciding = 'reject'; }}>Reject…</button></div>`;
  }

  async #send(form, path, body) {
    try {
      if (form) {
        await proved(form);
      }
      this.deciding = null;
      await post(path, body);
      this.answer = nothing;
    } catch (found) {
      this.answer = refusal(found);
    }
  }
}

customElements.define('runs-approval', RunApproval);
