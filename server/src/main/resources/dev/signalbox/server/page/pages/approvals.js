import { html, nothing } from 'lit';
import { get, part, post } from '../api.js';
import { pretty } from '../format.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { empty, problem, since, tag } from '../parts/words.js';
import { refusal } from '../parts/refusal.js';
import '../parts/time-left.js';

const RISKS = { low: 'calm', medium: 'accent', high: 'warn', critical: 'bad' };
const OUTCOMES = { granted: 'good', executed: 'good', rejected: 'bad', mismatch: 'bad' };

/** What waits for a person's decision: the exact action, and who asks through whom. */
class Approvals extends Part {
  static properties = { deciding: { state: true }, answers: { state: true } };

  #list = new Loaded(
    this,
    async (signal) => {
      const [open, all, { approvals }] = await Promise.all([
        get('/instances?machine=approval&state=AWAITING_HUMAN&most=200', signal),
        get('/instances?machine=approval&order=newest&most=60', signal),
        get('/approvals?most=200', signal),
      ]);
      return {
        says: new Map(approvals.map((one) => [one.id, one])),
        waiting: open.instances,
        decided: all.instances.filter((one) => !one.states.includes('AWAITING_HUMAN')),
      };
    },
    (entry) => entry.machine === 'approval',
  );

  constructor() {
    super();
    this.deciding = null;
    this.answers = new Map();
  }

  render() {
    const { waiting = [], decided = [] } = this.#list.value ?? {};
    const sorted = [...waiting].sort((a, b) => a.context.expires_at - b.context.expires_at);
    return html`
      <div class="title-row"><h1>Approvals</h1>
        ${this.#list.value ? html`<p class="soft">${waiting.length} waiting, the next to expire first</p>` : nothing}</div>
      ${problem(this.#list.problem)}
      ${this.#list.value && waiting.length === 0 ? empty('Nothing waits for a decision', 'A request appears here the moment an agent asks.') : nothing}
      <div class="inbox">${sorted.map((one) => this.#request(one))}</div>
      ${decided.length ? this.#decided(decided) : nothing}
    `;
  }

  #request(one) {
    const { context } = one;
    const headingId = `approval-${one.id}`;
    return html`<article class="card request" aria-labelledby=${headingId}>
      <header>
        <h2 id=${headingId}>${context.action || 'An action'}</h2>
        ${tag(`${context.risk} risk`, RISKS[context.risk])}
        <span class="expiry">expires in <sb-time-left .due=${context.expires_at}></sb-time-left></span>
      </header>
      ${context.subject ? html`<p>For <a href=${to(['instances', context.subject])}>${context.subject}</a></p>` : nothing}
      <pre class="arguments" tabindex="0" aria-label="Arguments">${pretty(context.arguments)}</pre>
      ${Object.keys(context.identity ?? {}).length
        ? html`<p class="soft">Done by exactly this:</p>
            <pre class="arguments" tabindex="0" aria-label="What does it">${pretty(context.identity)}</pre>`
        : nothing}
      <dl class="fields">
        <div><dt>asked by</dt><dd>${chain(context)}</dd></div>
        <div><dt>asked</dt><dd>${since(one.since)}</dd></div>
        ${context.quorum > 1 ? html`<div><dt>approvals</dt><dd>${context.approvals} of ${context.quorum}${context.approvers.length ? html`, by ${context.approvers.join(', ')}` : nothing}</dd></div>` : nothing}
        ${context.assigned_to.length ? html`<div><dt>assigned to</dt><dd>${context.assigned_to.join(', ')}</dd></div>` : nothing}
        ${context.roles.length ? html`<div><dt>roles</dt><dd>${context.roles.join(', ')}</dd></div>` : nothing}
        ${context.conditions.length ? html`<div><dt>conditions</dt><dd>${context.conditions.join(', ')}</dd></div>` : nothing}
        <div><dt>digest</dt><dd><code class="hash">${context.digest}</code></dd></div>
      </dl>
      ${this.answers.get(one.id) ?? nothing} ${this.#decision(one)}
    </article>`;
  }

  /** What the server lets this person do; who has said yes may still say no. */
  #decision(one) {
    const { allowed = false, objection = null } = this.#list.value.says.get(one.id) ?? {};
    if (this.deciding?.id !== one.id) {
      return html`${objection ? html`<p class="soft">${objection.message}</p>` : nothing}<div class="actions">
        ${allowed ? html`<button class="primary" @click=${() => { this.deciding = { id: one.id, word: 'approve' }; }}>Approve…</button>` : nothing}
        ${allowed || objection?.code === 'approved' ? html`<button class="danger" @click=${() => { this.deciding = { id: one.id, word: 'reject' }; }}>Reject…</button>` : nothing}
        <a class="button" href=${to(['instances', one.id])}>Details</a></div>`;
    }
    const approve = this.deciding.word === 'approve';
    return html`<form class="form decision" @submit=${(event) => this.#decide(event, one, approve)}>
      ${approve
        ? html`<p>Approve exactly what stands above, once, before it expires.</p>
            <label class="field"><span>Condition <span class="soft">may be empty; must be met when it runs</span></span><input name="text" autocomplete="off" autofocus></label>`
        : html`<label class="field"><span>Reason</span><input name="text" required autocomplete="off" autofocus></label>`}
      <div class="actions"><button class=${approve ? 'primary' : 'danger'}>${approve ? 'Approve' : 'Reject'}</button>
        <button type="button" @click=${() => { this.deciding = null; }}>Back</button></div></form>`;
  }

  updated(changed) {
    if (changed.has('deciding') && this.deciding) {
      this.querySelector('.decision input')?.focus();
    }
  }

  async #decide(event, one, approve) {
    event.preventDefault();
    const text = new FormData(event.target).get('text').trim();
    const data = approve
      ? { digest: one.context.digest, ...(text ? { condition: text } : {}) }
      : { reason: text };
    this.deciding = null;
    try {
      await post(`/approvals/${part(one.id)}/${approve ? 'approve' : 'reject'}`, data);
      this.answers = new Map(this.answers);
      this.answers.delete(one.id);
    } catch (found) {
      this.answers = new Map(this.answers).set(one.id, refusal(found));
    }
    this.#list.now();
  }

  #decided(decided) {
    return html`<section class="card flush"><h2>Decided</h2><table class="stacking">
      <thead><tr><th>Action</th><th>Outcome</th><th>By</th><th>Reason</th><th>Asked by</th><th>When</th></tr></thead>
      <tbody>${decided.map((one) => html`<tr>
        <td data-label="Action"><a href=${to(['instances', one.id])}>${one.context.action || one.id}</a></td>
        <td data-label="Outcome">${tag(one.context.outcome || one.status, OUTCOMES[one.context.outcome] ?? 'calm')}</td>
        <td data-label="By">${one.context.decision_by || html`<span class="soft">–</span>`}</td>
        <td data-label="Reason">${one.context.reason || html`<span class="soft">–</span>`}</td>
        <td data-label="Asked by">${one.context.requester}</td>
        <td data-label="When">${since(one.since)}</td></tr>`)}</tbody></table></section>`;
  }
}

/** Who asked whom, the first one first. */
function chain(context) {
  const names = [
    ...(context.chain ?? []).map((link) => (typeof link === 'string' ? link : (link.name ?? link.instance ?? JSON.stringify(link)))),
    context.requester,
  ].filter((name, i, all) => name && name !== all[i - 1]);
  return html`<span class="chain">${names.map((name, i) => html`${i ? html`<span class="soft" aria-label="asked through"> → </span>` : nothing}${name}`)}</span>`;
}

customElements.define('sb-approvals', Approvals);
