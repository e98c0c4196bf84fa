import { html, nothing } from 'lit';
import { pretty } from '../format.js';

/** Words as one types them, so that it is seen where each begins and ends. */
export function typed(words) {
  return words
    .map((word) => (/^[\p{L}\p{N}@%+=:,./_{}*-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}

function isCommand(value) {
  return Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === 'string');
}

/** The command that the identity names, wherever it stands in it. */
function command(identity) {
  for (const value of [identity.command, identity.tool?.command]) {
    if (isCommand(value)) {
      return value;
    }
  }
  return null;
}

function shown(value) {
  if (isCommand(value)) {
    return html`<code>${typed(value)}</code>`;
  }
  return typeof value === 'string' ? html`<span class="lines">${value}</span>` : html`<code>${pretty(value)}</code>`;
}

/** Names with their values, what is nested under the names of both. */
function rows(map, before = '') {
  return Object.entries(map).flatMap(([name, value]) =>
    value !== null && typeof value === 'object' && !Array.isArray(value)
      ? rows(value, `${before}${name} `)
      : [[`${before}${name}`, value]],
  ).filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0));
}

/** What is to be done as a person reads it: why, the command, its arguments, then what else binds it. */
export function action({ identity = {}, arguments: args = {} }) {
  const words = command(identity);
  const { why, ...rest } = identity;
  const others = rows(rest).filter(([, value]) => value !== words);
  return html`
    ${why ? html`<p>${why}</p>` : nothing}
    ${words ? html`<pre class="command" tabindex="0" aria-label="Command">${typed(words)}</pre>` : nothing}
    ${Object.keys(args ?? {}).length || !words ? html`<pre class="arguments" tabindex="0" aria-label="Arguments">${pretty(args)}</pre>` : nothing}
    ${others.length
      ? html`<dl class="fields" aria-label="What does it">${others.map(([name, value]) => html`<div><dt>${name}</dt><dd>${shown(value)}</dd></div>`)}</dl>`
      : nothing}`;
}
