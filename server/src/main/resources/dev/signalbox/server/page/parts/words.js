import { html, nothing } from 'lit';
import { ago, inline, isoMoment, moment, sentence } from '../format.js';

/** Small pieces that many pages show in the same way. */

const TONES = { live: 'accent', paused: 'warn', halted: 'bad', ended: 'calm' };

/** The status of an instance. */
export function status(word) {
  return html`<span class="tag ${TONES[word] ?? 'calm'}">${word}</span>`;
}

/** A word in a colour: good, warn, bad, accent, calm or guard. */
export function tag(word, tone = 'calm') {
  return html`<span class="tag ${tone}">${word}</span>`;
}

/** The names of states; where there is little room they break behind an underscore. */
export function states(names) {
  const parts = (name) => name.split(/(?<=_)/).map((piece, i) => html`${i ? html`<wbr>` : nothing}${piece}`);
  return html`<span class="states">${(names ?? []).map((name) => html`<span class="state-name">${parts(name)}</span>`)}</span>`;
}

/** A moment, with the whole of it for whoever points at it. */
export function when(value) {
  return value === null || value === undefined
    ? nothing
    : html`<time datetime=${isoMoment(value)} title=${isoMoment(value)}>${moment(value)}</time>`;
}

export function since(value, now) {
  return html`<time datetime=${isoMoment(value)} title=${isoMoment(value)}>${ago(value, now)}</time>`;
}

/** Who did it. */
export function who(actor) {
  if (!actor) {
    return html`<span class="soft">nobody</span>`;
  }
  return html`<span title=${(actor.roles ?? []).join(', ')}>${actor.name || actor.kind}${actor.name && actor.kind !== 'user'
      ? html` <span class="soft">${actor.kind}</span>`
      : nothing}</span>`;
}

/** What goes wrong when something is loaded or done. */
export function problem(found) {
  return found
    ? html`<div class="notice bad" role="alert">
        <p>${found.message}</p>
        ${found.hint ? html`<p class="soft">${sentence(found.hint)}</p>` : nothing}
      </div>`
    : nothing;
}

/** What stands where nothing is. */
export function empty(title, text = nothing) {
  return html`<div class="empty-place"><p class="empty-title">${title}</p>
    ${text === nothing ? nothing : html`<p class="soft">${text}</p>`}</div>`;
}

/** A JSON object as a list of fields. */
export function fields(object) {
  const entries = Object.entries(object ?? {});
  return entries.length
    ? html`<dl class="fields">${entries.map(
        ([name, value]) => html`<div><dt>${name}</dt><dd>${json(value)}</dd></div>`,
      )}</dl>`
    : html`<p class="soft">none</p>`;
}

export function json(value) {
  if (value === null || value === undefined) {
    return html`<span class="soft">null</span>`;
  }
  if (typeof value === 'string') {
    return value === '' ? html`<span class="soft">empty</span>` : html`<span class="text-value">${value}</span>`;
  }
  if (typeof value !== 'object') {
    return html`<code>${String(value)}</code>`;
  }
  const flat = inline(value, 10_000);
  return flat.length <= 72 ? html`<code>${flat}</code>` : html`<pre>${JSON.stringify(value, null, 2)}</pre>`;
}

/** Every guard that was asked, with its answer and why. */
export function guards(asked) {
  return (asked ?? []).length === 0
    ? nothing
    : html`<ul class="guards">${asked.map((guard) => {
        const answer = guard.answer ?? guard.verdict;
        return html`<li><span class="mark ${answer === 'yes' ? 'good' : 'bad'}">${answer}</span>
          <div><code>${guard.guard ?? guard.condition}</code>
            ${guard.why ? html`<p class="soft">${guard.why}</p>` : nothing}</div></li>`;
      })}</ul>`;
}

/** Several of some words, each to be ticked, as fields of a form. */
export function choices(label, name, words, ticked = []) {
  return html`<fieldset class="choices"><legend>${label}</legend>${words.map((word) => html`<label class="field check"><input type="checkbox" name=${name} value=${word} ?checked=${ticked.includes(word)}>${word}</label>`)}</fieldset>`;
}

/** Words that were typed with commas between them. */
export function list(text) {
  return text.split(',').map((word) => word.trim()).filter((word) => word !== '');
}
