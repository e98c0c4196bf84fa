/**
 * The public HTTP API, and nothing else: what the page can do, a script with a token can do too.
 * The session is a cookie that scripts can't see, and that every server on this host is sent; so
 * each request also carries the session's own token, which is kept where only pages of this origin
 * can read it.
 */
const BASE = '/api/v1';

/** Where the page that signed in left the session's token. */
const KEPT = 'signalbox.session';

/** An answer that is not what was asked for: the RFC 9457 problem. */
export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `The server answered ${status}.`);
    this.status = status;
    this.code = body.code ?? '';
    this.hint = body.hint ?? '';
    this.body = body;
  }
}

/** Who is signed in; null when nobody is. */
export let me = null;

export const session = new EventTarget();

function set(who) {
  me = who;
  session.dispatchEvent(new Event('change'));
}

/** What shows that a page of this origin asks. */
export function forgeryHeaders() {
  const token = localStorage.getItem(KEPT);
  return token ? { 'X-CSRF-Token': token } : {};
}

/** Whether the answer says that there is no session, or none of this page's. */
function isSignedOut(problem) {
  return problem.status === 401 || problem.code === 'csrf-token-missing';
}

/** Finds out who is signed in. */
export async function recall() {
  try {
    set(await get('/session'));
  } catch (problem) {
    if (!isSignedOut(problem)) {
      throw problem;
    }
    set(null);
  }
}

export async function signOut() {
  await send('DELETE', '/session');
  localStorage.removeItem(KEPT);
  set(null);
}

// Another tab signed in or out.
addEventListener('storage', (event) => {
  if (event.key === KEPT) {
    recall().catch(() => {});
  }
});

/** Says who decides: for ten minutes the session is that person's. */
export async function sayPassphrase(person, passphrase) {
  set(await post('/session/person', { person, passphrase }));
}

export function may(...roles) {
  return me !== null && roles.some((role) => me.roles.includes(role));
}

export function get(path, signal) {
  return send('GET', path, undefined, signal);
}

export function post(path, body, headers) {
  return send('POST', path, body, undefined, headers);
}

/** The text of a resource, such as a drawing. */
export async function text(path, signal) {
  const response = await request('GET', path, undefined, signal);
  return response.text();
}

/** Saves a resource as a file; a link can't, for it sends no headers. */
export async function save(path, name) {
  const response = await request('GET', path);
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

async function send(method, path, body, signal, headers) {
  const response = await request(method, path, body, signal, headers);
  return response.status === 204 ? null : response.json();
}

async function request(method, path, body, signal, more) {
  const headers = { Accept: 'application/json, */*;q=0.5', ...forgeryHeaders(), ...more };
  if (body !== undefined && !headers['Content-Type']) {
    headers['Content-Type'] = 'application/json';
  }
  let response;
  try {
    response = await fetch(BASE + path, {
      method,
      headers,
      body: typeof body === 'string' || body === undefined ? body : JSON.stringify(body),
      signal,
      cache: 'no-store',
      credentials: 'same-origin',
    });
  } catch (cause) {
    if (cause.name === 'AbortError') {
      throw cause;
    }
    throw new Problem(0, { detail: 'The server can’t be reached.', hint: 'It will be tried again.' });
  }
  if (!response.ok) {
    const problem = new Problem(response.status, await response.json().catch(() => ({})));
    if (isSignedOut(problem) && me !== null) {
      set(null);
    }
    throw problem;
  }
  return response;
}

/** A query string of what is there. */
export function query(parameters) {
  const pairs = Object.entries(parameters).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

/** A part of a path. */
export function part(value) {
  return encodeURIComponent(value);
}

/** A key that lets the same command be sent twice and happen once. */
export function freshKey() {
  return `page-${crypto.randomUUID()}`;
}
