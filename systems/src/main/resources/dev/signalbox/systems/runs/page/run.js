import { html, nothing } from 'lit';
import { freshKey, get, may, part, post } from 'signalbox/api.js';
import { count, millis, span } from 'signalbox/format.js';
import { Loaded } from 'signalbox/loaded.js';
import { Part } from 'signalbox/part.js';
import { pathOf } from 'signalbox/path.js';
import { to } from 'signalbox/route.js';
import { json, problem, status, when } from 'signalbox/parts/words.js';
import { refusal } from 'signalbox/parts/refusal.js';
import 'signalbox/parts/diagram.js';
import 'signalbox/parts/dialog.js';
import 'signalbox/parts/time-left.js';
import './approval.js';
import './evidence.js';
import './timeline.js';
import { does, environment, who, word } from './words.js';

/** One run: where it stands, its tools in time, what shows it, who decided, what was undone. */
class Run extends Part {
  static properties = { run: {}, answer: { state: true }, asking: { state: true } };

  #story = new Loaded(
    this,
    (signal) => this.#load(signal),
    (entry) => entry.instance === this.run || entry.machine === 'approval',
  );

  constructor() {
    super();
    this.answer = nothing;
    this.asking = nothing;
  }

  willUpdate(changed) {
    if (this.hasUpdated && changed.has('run')) {
      this.#story.another();
    }
  }

  async #load(signal) {
    const id = part(this.run);
    const [story, instance] = await Promise.all([get(`/runs/${id}`, signal), get(`/instances/${id}`, signal)]);
    const from = Math.max(1, instance.sequence - 499);
    const [{ entries }, asked] = await Promise.all([
      get(`/instances/${id}/history?from=${from}&most=500`, signal),
      Promise.all(story.approvals.map((one) => this.#asked(part(one), signal).catch(() => null))),
    ]);
    return { story, instance, path: pathOf(entries), asked: asked.filter((one) => one !== null) };
  }

  /** Something it asked, and whether the person who looks may say yes to it, or why not. */
  async #asked(id, signal) {
    const [instance, { allowed, objection, passphrase_needed }] = await Promise.all([get(`/instances/${id}`, signal), get(`/approvals/${id}`, signal)]);
    return { ...instance, allowed, objection, passphrase_needed };
  }

  render() {
    const found = this.#story.value;
    if (!found) {
      return this.#story.problem
        ? html`<h1>${this.run}</h1>${problem(this.#story.problem)}<p><a href="#/systems/runs">All runs</a></p>`
        : nothing;
    }
    const { story, instance, path, asked } = found;
    const open = asked.filter((one) => one.status !== 'ended' && one.context.outcome === '');
    return html`
      <div class="title-row">
        <div><p class="crumbs"><a href="#/systems/runs">Approved runs</a> / <a href=${to(['instances', story.run_id])}>its instance</a></p>
          <h1 class="id">${story.run_id}</h1></div>
        <div class="head-state">${environment(story.environment)} ${word(story.state)}
          ${story.status === 'live' || story.status === 'ended' ? nothing : status(story.status)} ${word(story.final_status)}
          <span class="soft">since ${when(story.since)}</span></div>
      </div>
      ${problem(this.#story.problem)} ${this.answer}
      ${story.failure ? html`<div class="notice bad"><p>${story.failure}</p></div>` : nothing}
      ${open.map((one) => html`<runs-approval .approval=${one}></runs-approval>`)}
      <div class="instance">
        <div class="column wide">
          <section class="card"><h2>Tools</h2>
            <runs-timeline .tools=${story.tools} .from=${story.created_at} .to=${story.status === 'ended' ? story.updated_at : null}></runs-timeline>
            ${this.#calls(story, story.tools)}</section>
          ${story.checks.length ? html`<section class="card"><h2>Checks</h2>${this.#calls(story, story.checks)}</section>` : nothing}
          ${this.#verdicts(story)} ${this.#rollback(story)}
          <section class="card"><h2>Where it stands</h2>
            <sb-diagram zoomable legible .label=${`the run ${story.run_id}`}
              .address=${`/machines/${part(`${instance.machine}@${instance.version}`)}/diagram.svg?title=false&badges=false`}
              .active=${instance.states} .visited=${path.visited} .taken=${path.taken}></sb-diagram></section>
        </div>
        <div class="column">
          ${this.#controls(story)} ${this.#facts(story)} ${this.#decided(asked.filter((one) => !open.includes(one)))}
        </div>
      </div>
      ${this.asking}`;
  }

  /** Each call with its attempts; open where it matters. */
  #calls(story, calls) {
    return html`<ul class="run-calls">${calls.map((call) => {
      const last = call.attempts.at(-1);
      const telling = ['fail', 'halted', 'unknown', 'needs_approval', 'not_undone', 'running'].includes(call.status);
      return html`<li><details ?open=${telling}>
        <summary><strong>${call.name}</strong> ${word(call.status)} ${call.risk && call.risk !== 'low' ? html`${word(call.risk)}` : nothing}
          <span class="soft">${call.kind}, ${call.access}${call.approval ? ', asks first' : ''}${last?.ended_at ? html`, ${span(millis(last.ended_at) - millis(last.started_at))}` : nothing}${call.attempts.length > 1 ? `, ${call.attempts.length} attempts` : ''}</span></summary>
        <dl class="fields">
          <div><dt>does</dt><dd>${does(call.spec)}</dd></div>
          ${Object.keys(call.arguments ?? {}).length ? html`<div><dt>arguments</dt><dd>${json(call.arguments)}</dd></div>` : nothing}
          ${call.why ? html`<div><dt>risk</dt><dd>${call.why}</dd></div>` : nothing}
          ${call.approval && call.approvers ? html`<div><dt>approvers</dt><dd>${who(call.approvers)}</dd></div>` : nothing}
        </dl>
        ${call.attempts.map((attempt) => this.#attempt(story, attempt, call.attempts.length > 1))}
      </details></li>`;
    })}</ul>`;
  }

  #attempt(story, attempt, numbered) {
    const { changed, checked, assumed, not_tested: untested, risks, next_actions: next } = attempt.result ?? {};
    const said = [
      ['changed', changed],
      ['checked', checked],
      ['assumed', assumed],
      ['not tested', untested],
      ['risks', risks?.map((one) => one.text ?? one)],
      ['next', next],
    ].filter(([, list]) => list?.length);
    return html`<div class="run-attempt">
      <p>${numbered ? html`<strong>Attempt ${attempt.attempt}</strong> ` : nothing}${word(attempt.status)} <span class="soft">${when(attempt.started_at)}</span>
        ${attempt.message ? html` ${attempt.message}` : nothing}</p>
      ${said.length ? html`<dl class="fields">${said.map(([name, list]) => html`<div><dt>${name}</dt><dd>${list.join(', ')}</dd></div>`)}</dl>` : nothing}
      ${attempt.evidence?.length ? html`<runs-evidence .run=${story.run_id} .evidence=${attempt.evidence}></runs-evidence>` : nothing}</div>`;
  }

  #verdicts(story) {
    return story.verdicts.length === 0
      ? nothing
      : html`<section class="card"><h2>Audit</h2><ul class="run-verdicts">${story.verdicts.map(
          (one) => html`<li>${word(one.verdict)} <div><strong>${one.auditor}</strong>
            ${(one.notes ?? []).map((note) => html`<p class="soft">${note}</p>`)}
            ${one.evidence?.length ? html`<runs-evidence .run=${story.run_id} .evidence=${one.evidence}></runs-evidence>` : nothing}</div></li>`,
        )}</ul></section>`;
  }

  #rollback(story) {
    return story.rollback.length === 0
      ? nothing
      : html`<section class="card"><h2>Rollback</h2><ol class="run-rollback">${story.rollback.map(
          (one) => html`<li>${word(one.status)} <div><strong>${one.step}</strong> ${one.message}
            ${one.evidence?.length ? html`<runs-evidence .run=${story.run_id} .evidence=${one.evidence}></runs-evidence>` : nothing}</div></li>`,
        )}</ol>
        ${story.undo_remaining.length ? html`<p class="soft">Still to undo: ${story.undo_remaining.join(', ')}</p>` : nothing}</section>`;
  }

  #controls(story) {
    const live = story.status !== 'ended';
    const act = may('operator', 'admin') && live;
    return live
      ? html`<section class="card first"><h2>What may happen</h2>
        ${story.deadlines.length ? html`<ul class="deadlines">${story.deadlines.map((one) => html`<li><sb-time-left .due=${one.due}></sb-time-left> <span>for ${one.state}</span></li>`)}</ul>` : html`<p class="soft">Nothing is timed now.</p>`}
        ${act
          ? html`<div class="actions">${story.status === 'paused' || story.status === 'halted'
              ? html`<button class="primary" @click=${() => this.#do('resume', {}, 'It goes on.')}>Resume</button>`
              : nothing}
            <button class="danger" @click=${() => this.#ask()}>Halt…</button></div>`
          : html`<p class="soft">Only an operator halts or resumes it.</p>`}</section>`
      : nothing;
  }

  #ask() {
    const close = () => { this.asking = nothing; };
    const content = html`<p>It stops in the way that its state has for it. What it did stays in the journal.</p>
      <form class="form" @submit=${(event) => {
        event.preventDefault();
        const reason = new FormData(event.target).get('reason').trim();
        close();
        this.#do('halt', { reason }, 'It is told to stop.');
      }}><label class="field"><span>Reason</span><input name="reason" required autocomplete="off" autofocus></label>
      <div class="actions"><button class="danger">Halt</button><button type="button" @click=${close}>Let it go on</button></div></form>`;
    this.asking = html`<sb-dialog heading="Halt ${this.run}" .content=${content} @closed=${close}></sb-dialog>`;
  }

  async #do(action, body, done) {
    try {
      await post(`/runs/${part(this.run)}/${action}`, body, { 'Idempotency-Key': freshKey() });
      this.answer = html`<div class="notice good" role="status"><p>${done}</p></div>`;
    } catch (found) {
      this.answer = refusal(found);
    }
    this.#story.now();
  }

  #facts(story) {
    const { usage, limits } = story;
    return html`<section class="card"><h2>The run</h2><dl class="fields">
      <div><dt>project</dt><dd>${story.project_id}</dd></div>
      <div><dt>asked by</dt><dd>${story.requested_by?.name}</dd></div>
      <div><dt>plan by</dt><dd>${story.plan_approved_by || html`<span class="soft">not yet approved</span>`}</dd></div>
      <div><dt>began</dt><dd>${when(story.created_at)}</dd></div>
      ${['model_calls', 'tokens', 'files'].map((name) => html`<div><dt>${name.replace('_', ' ')}</dt>
        <dd><span class="run-progress"><progress max=${Math.max(1, limits?.[name] ?? 1)} value=${usage[name] ?? 0} aria-label=${name}></progress> ${count(usage[name])} of ${count(limits?.[name])}</span></dd></div>`)}
      <div><dt>plan</dt><dd><code class="hash">${story.plan_digest}</code></dd></div>
      ${story.plan?.origin ? html`<div><dt>frozen plan</dt><dd>${story.plan.origin.run_id} of ${story.plan.origin.intent_id}, <code class="hash">${story.plan.origin.manifest_sha256}</code></dd></div>` : nothing}
      ${story.tree_before ? html`<div><dt>tree before</dt><dd><code class="hash">${story.tree_before}</code></dd></div>` : nothing}
    </dl></section>`;
  }

  #decided(asked) {
    return asked.length === 0
      ? nothing
      : html`<section class="card"><h2>Decided</h2><ul class="run-decided">${asked.map(
          (one) => html`<li><a href=${to(['instances', one.id])}>${one.context.action || one.id}</a> ${word(one.context.outcome || one.status)}
            <p class="soft">${one.context.decision_by ? `by ${one.context.decision_by}` : ''} ${one.context.reason ?? ''}</p></li>`,
        )}</ul></section>`;
  }
}

customElements.define('runs-run', Run);
