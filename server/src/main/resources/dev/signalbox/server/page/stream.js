/**
 * What happens, as it happens: one connection for all tabs of the browser, because a browser opens
 * only a handful to one server and a tab that waits for one hangs. One tab leads: it has the lock,
 * reads, and passes on what it hears; when it goes, the next one has the lock and reads on behind
 * what was heard last. After a break it goes on behind the last event too, so nothing is missed and
 * nothing comes twice. It is a hint all the same: whoever listens reads again through the API.
 *
 * Where the browser has no locks (pages that came without encryption from another machine), each
 * tab reads for itself.
 *
 * It is read with fetch rather than EventSource, which gives up for good on an answer such as 503
 * and sends no headers.
 */
import { forgeryHeaders } from './api.js';

const NAME = 'signalbox.stream';
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;

class Stream extends EventTarget {
  #last = null;
  #wait = FIRST_WAIT;
  #running = null;
  #channel = null;
  #leads = false;
  state = 'off';

  /** Begins to listen, if it does not yet. */
  open() {
    if (this.#running) {
      return;
    }
    this.#running = new AbortController();
    const { signal } = this.#running;
    if (!navigator.locks) {
      this.#follow(signal);
      return;
    }
    this.#channel = new BroadcastChannel(NAME);
    this.#channel.addEventListener('message', ({ data }) => this.#hear(data));
    this.#pass({ ask: true });
    navigator.locks
      .request(NAME, { signal }, async () => {
        this.#leads = true;
        if (this.#last === null && this.state === 'live') {
          // It does not know behind what to go on, so everybody looks again.
          this.#share({ state: 'broken' });
        }
        try {
          await this.#follow(signal);
        } finally {
          this.#leads = false;
        }
      })
      .catch(() => {
        // Closed while it waited for its turn.
      });
  }

  close() {
    this.#running?.abort();
    this.#running = null;
    this.#channel?.close();
    this.#channel = null;
    this.#tell('off');
  }

  /** Whether this tab reads for the others. */
  get leads() {
    return this.#leads;
  }

  /** Calls back for every entry until the signal ends it. */
  each(listener, signal) {
    this.addEventListener('entry', (event) => listener(event.detail), { signal });
  }

  /** Calls back when the connection is made or made anew: what was shown may be stale. */
  fresh(listener, signal) {
    this.addEventListener('fresh', () => listener(), { signal });
  }

  #tell(state) {
    if (this.state !== state) {
      this.state = state;
      this.dispatchEvent(new Event('state'));
    }
  }

  /** Tells this tab and the others. */
  #share(news) {
    this.#take(news);
    this.#pass(news);
  }

  #pass(news) {
    this.#channel?.postMessage(news);
  }

  /** What another tab says: whoever leads answers those who ask, the others take what they hear. */
  #hear(news) {
    if (news.ask) {
      if (this.#leads) {
        this.#pass({ state: this.state });
      }
    } else if (!this.#leads) {
      this.#take(news);
    }
  }

  #take({ state, last, entry, signedOut }) {
    if (last !== undefined) {
      this.#last = last;
    }
    if (state !== undefined) {
      const isFresh = state === 'live' && this.state !== 'live';
      this.#tell(state);
      if (isFresh) {
        this.dispatchEvent(new Event('fresh'));
      }
    }
    if (entry) {
      this.dispatchEvent(new CustomEvent('entry', { detail: entry }));
    }
    if (signedOut) {
      this.dispatchEvent(new Event('signed-out'));
    }
  }

  async #follow(signal) {
    while (!signal.aborted) {
      try {
        await this.#read(signal);
      } catch {
        // The connection broke or was refused; the next attempt says which.
      }
      if (signal.aborted) {
        return;
      }
      this.#share({ state: 'broken' });
      await new Promise((resolve) => setTimeout(resolve, this.#wait));
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    }
  }

  async #read(signal) {
    const headers = { Accept: 'text/event-stream', ...forgeryHeaders() };
    if (this.#last !== null) {
      headers['Last-Event-ID'] = this.#last;
    }
    const response = await fetch('/api/v1/stream', { headers, signal, cache: 'no-store' });
    if (response.status === 401 || response.status === 403) {
      this.#share({ signedOut: true });
    }
    if (!response.ok || !response.body) {
      throw new Error(`stream answered ${response.status}`);
    }
    this.#wait = FIRST_WAIT;
    this.#share({ state: 'live' });
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) {
        return;
      }
      rest += value;
      const blocks = rest.split(/\r?\n\r?\n/);
      rest = blocks.pop();
      blocks.forEach((block) => this.#block(block));
    }
  }

  #block(text) {
    let type = 'message';
    const news = {};
    const data = [];
    for (const line of text.split(/\r?\n/)) {
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'id') {
        news.last = value;
      } else if (field === 'event') {
        type = value;
      } else if (field === 'data') {
        data.push(value);
      }
    }
    if (data.length > 0 && (type === 'entry' || type === 'refusal')) {
      const { entry, ...place } = JSON.parse(data.join('\n'));
      news.entry = { type, ...entry, ...place };
    }
    if (news.last !== undefined || news.entry) {
      this.#share(news);
    }
  }
}

export const stream = new Stream();
