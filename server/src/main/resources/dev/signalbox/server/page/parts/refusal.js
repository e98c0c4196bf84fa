import { html, nothing } from 'lit';
import { closed } from '../format.js';
import { guards, states, tag } from './words.js';

/** Why something was refused: the sentence, the guards with their values, and what may be done instead. */
export function refusal(problem) {
  const { body } = problem;
  const permitted = (body.permitted ?? []).filter((one) => one.allowed).map((one) => one.event);
  return html`<section class="notice bad refusal" role="alert" aria-label="Refused">
    <p class="refusal-title">${tag(problem.code || `HTTP ${problem.status}`, 'bad')} ${problem.message}</p>
    ${guards(body.guards)}
    ${body.states ? html`<p>It is in ${states(body.states)}</p>` : nothing}
    ${permitted.length
      ? html`<p>Permitted instead: ${permitted.map((event) => html`<code>${event}</code> `)}</p>`
      : nothing}
    ${problem.hint ? html`<p class="soft">What to do: ${closed(problem.hint)}</p>` : nothing}
  </section>`;
}
