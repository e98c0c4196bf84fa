import { stream } from './stream.js';

/** How many first loads each component still waits for; while there are some it is busy. */
const awaited = new WeakMap();

function wait(host, more) {
  const left = (awaited.get(host) ?? 0) + more;
  awaited.set(host, left);
  if (left > 0) {
    host.setAttribute('aria-busy', 'true');
  } else {
    host.removeAttribute('aria-busy');
  }
}

/** Two loads of the same thing are at least this far apart while events pour in. */
const PACE = 300;

/** The stream is a hint: without it everything is read again this often, and with it now and then. */
const POLL_BROKEN = 3_000;
const POLL_LIVE = 30_000;

/**
 * Something that a component shows: loaded when the component appears, and again whenever the
 * stream tells of something that concerns it. One load at a time; what comes meanwhile makes one
 * more.
 */
export class Loaded {
  value = undefined;
  problem = null;
  #host;
  #load;
  #concerns;
  #life = null;
  #busy = false;
  #again = false;
  #request = null;
  #timer = 0;
  #poll = 0;
  #last = 0;
  #first = true;

  /**
   * @param load gives the value; is handed a signal that ends it
   * @param concerns whether an entry of the stream can have changed the value; none never
   */
  constructor(host, load, concerns = () => false) {
    this.#host = host;
    this.#load = load;
    this.#concerns = concerns;
    host.addController(this);
  }

  hostConnected() {
    this.#life = new AbortController();
    this.#first = true;
    wait(this.#host, 1);
    const { signal } = this.#life;
    stream.each((entry) => this.#concerns(entry) && this.soon(), signal);
    stream.fresh(() => this.value !== undefined && this.soon(), signal);
    this.now();
    this.#pollLater();
  }

  #pollLater() {
    this.#poll = setTimeout(
      () => {
        if (!document.hidden) {
          this.soon();
        }
        this.#pollLater();
      },
      stream.state === 'live' ? POLL_LIVE : POLL_BROKEN,
    );
  }

  hostDisconnected() {
    this.#life.abort();
    this.#request?.abort();
    if (this.#first) {
      this.#first = false;
      wait(this.#host, -1);
    }
    clearTimeout(this.#timer);
    clearTimeout(this.#poll);
    this.#timer = 0;
  }

  /** Forgets what it had, because something else is asked for, and loads that. */
  another() {
    this.value = undefined;
    this.problem = null;
    if (!this.#first) {
      this.#first = true;
      wait(this.#host, 1);
    }
    this.now();
  }

  /** Loads anew; a load under way no longer counts. */
  async now() {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    this.#busy = true;
    this.#last = performance.now();
    try {
      const value = await this.#load(request.signal);
      if (this.#request !== request) {
        return;
      }
      this.value = value;
      this.problem = null;
    } catch (problem) {
      if (this.#request !== request || request.signal.aborted) {
        return;
      }
      this.problem = problem;
    }
    this.#busy = false;
    this.#host.requestUpdate();
    this.#settle();
    if (this.#again) {
      this.#again = false;
      this.soon();
    }
  }

  /** Something is shown now; the host says so once it has drawn it. */
  #settle() {
    if (this.#first) {
      this.#first = false;
      this.#host.updateComplete.then(() => wait(this.#host, -1));
    }
  }

  /** Loads anew in a moment, once for everything that happens until then. */
  soon() {
    if (this.#busy) {
      this.#again = true;
    } else if (!this.#timer) {
      const wait = Math.max(0, PACE - (performance.now() - this.#last));
      this.#timer = setTimeout(() => {
        this.#timer = 0;
        this.now();
      }, wait);
    }
  }
}
