import { html, nothing } from 'lit';
import { count } from '../format.js';
import { empty, json, tag } from './words.js';

const VERDICTS = { proved: 'good', refuted: 'bad', undecided: 'warn' };
const SEVERITIES = { error: 'bad', warning: 'warn', note: 'accent' };

/** What the checks found of a machine and what the model checker proved. */
export function findings(report, goTo = null) {
  return html`
    <section class="card"><h2>Problems</h2>
      ${report.problems.length === 0
        ? html`<p class="good">No problem was found.</p>`
        : html`<ul class="problems">${report.problems.map((one) => problemLine(one, goTo))}</ul>`}</section>
    <section class="card"><h2>Proofs</h2>
      ${report.explored ? html`<p class="soft">The model checker visited ${count(report.explored)} abstract states, ${report.complete ? 'all that can be reached' : 'and there are more'}.</p>` : nothing}
      ${report.invariants.length === 0
        ? empty('The machine claims nothing', 'Invariants are written in the definition and proved here before it is published.')
        : html`<ul class="proofs">${report.invariants.map((one) => html`<li>${tag(one.verdict, VERDICTS[one.verdict])}
            <div><strong>${one.name}</strong> <code class="claim">${one.claim}</code>
              ${one.why ? html`<p class="soft">${one.why}</p>` : nothing}
              ${one.events?.length ? html`<ol class="counterexample">${one.events.map((event) => html`<li>${json(event)}</li>`)}</ol>` : nothing}</div></li>`)}</ul>`}</section>
  `;
}

export function problemLine(one, goTo) {
  const place = one.line ? `${one.line}:${one.column}` : '';
  return html`<li>${tag(one.severity, SEVERITIES[one.severity])}
    <div>${place
        ? goTo
          ? html`<button class="link mono" aria-label="Go to line ${one.line}, column ${one.column}" @click=${() => goTo(one.line, one.column)}>${place}</button>`
          : html`<code>${place}</code>`
        : nothing}
      ${one.message} <span class="soft">${one.code}</span>
      ${one.hint ? html`<p class="soft">${one.hint}</p>` : nothing}</div></li>`;
}
