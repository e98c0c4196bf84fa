import { html, nothing } from 'lit';
import { json, tag } from 'signalbox/parts/words.js';

/** The words of runs, in the colours that they have everywhere. */

export const MACHINE = 'runs.run';

const TONES = {
  pass: 'good',
  running: 'accent',
  retry: 'warn',
  fail: 'bad',
  halted: 'bad',
  unknown: 'warn',
  needs_approval: 'warn',
  undone: 'calm',
  not_undone: 'bad',
  planned: 'calm',
  done: 'good',
  failed: 'bad',
  CLEARED: 'good',
  CONTAMINATED: 'warn',
  STOP: 'bad',
  ALL_CLEAR: 'good',
  OK_WITH_WARNINGS: 'warn',
  STOPPED: 'bad',
  FAILED: 'bad',
  FAILED_VERIFY: 'bad',
  low: 'calm',
  medium: 'accent',
  high: 'warn',
  critical: 'bad',
  COMPLETE: 'good',
  ROLLED_BACK: 'warn',
  HALTED_UNSAFE: 'bad',
  AWAITING_APPROVAL: 'warn',
};

/** A word of a run as a tag; nothing for none. */
export function word(text) {
  return text ? tag(String(text).replaceAll('_', ' ').toLowerCase(), TONES[text] ?? 'accent') : nothing;
}

export function environment(name) {
  return tag(name, name === 'prod' ? 'bad' : name === 'staging' ? 'warn' : 'calm');
}

/** What a call does, as people write it: a command line, a request, a tool of a server, a function. */
export function does(spec) {
  const { command, method, url, server, tool, handler } = spec ?? {};
  if (command) {
    return html`<code>${command.map((one) => (/^[\w@%+=:,./-]+$/.test(one) ? one : `'${one.replaceAll("'", "'\\''")}'`)).join(' ')}</code>`;
  }
  if (url) {
    return html`<code>${method ?? 'GET'} ${url}</code>`;
  }
  if (tool) {
    return html`<code>${tool}</code>${server ? html` of <code>${typeof server === 'string' ? server : JSON.stringify(server)}</code>` : nothing}`;
  }
  return handler ? html`<code>${handler}</code>` : json(spec);
}

/** Who may approve: how many of whom, and in which role. */
export function who({ quorum, assigned_to: people, roles }) {
  return `${quorum} of ${people.length ? people.join(', ') : 'any approvers'}${roles.length ? `, with the role ${roles.join(' or ')}` : ''}`;
}

/** How many of the tools are done, as a small bar and in words. */
export function progress(run) {
  const all = run.tools_planned.length;
  const done = run.tools_completed.length;
  return all === 0
    ? html`<span class="soft">–</span>`
    : html`<span class="run-progress"><progress max=${all} value=${done} aria-label="tools done"></progress> ${done} of ${all}</span>`;
}
