/**
 * What happens, as it happens: one connection for the whole page. After a break it goes on behind
 * the last event it saw, so nothing is missed and nothing comes twice. It is a hint all the same:
 * whoever listens reads again through the API.
 *
 * It is read with fetch rather than EventSource, which gives up for good on an answer such as 503.
 */
const FIRST_WAIT = 250;
const LONGEST_WAIT = 10_000;

class Stream extends EventTarget {
  #last = null;
  #wait = FIRST_WAIT;
  #running = null;
  state = 'off';

  /** Opens the connection, if it is not open. */
  open() {
    if (!this.#running) {
      this.#running = new AbortController();
      this.#follow(this.#running.signal);
    }
  }

  close() {
    this.#running?.abort();
    this.#running = null;
    this.#tell('off');
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
      this.#tell('broken');
      await new Promise((resolve) => setTimeout(resolve, this.#wait));
      this.#wait = Math.min(this.#wait * 2, LONGEST_WAIT);
    }
  }

  async #read(signal) {
    const headers = { Accept: 'text/event-stream' };
    if (this.#last !== null) {
      headers['Last-Event-ID'] = this.#last;
    }
    const response = await fetch('/api/v1/stream', { headers, signal, cache: 'no-store' });
    if (response.status === 401) {
      this.dispatchEvent(new Event('signed-out'));
    }
    if (!response.ok || !response.body) {
      throw new Error(`stream answered ${response.status}`);
    }
    this.#wait = FIRST_WAIT;
    this.#tell('live');
    this.dispatchEvent(new Event('fresh'));
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
    const data = [];
    for (const line of text.split(/\r?\n/)) {
      const colon = line.indexOf(':');
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'id') {
        this.#last = value;
      } else if (field === 'event') {
        type = value;
      } else if (field === 'data') {
        data.push(value);
      }
    }
    if (data.length > 0 && (type === 'entry' || type === 'refusal')) {
      const { entry, ...place } = JSON.parse(data.join('\n'));
      this.dispatchEvent(new CustomEvent('entry', { detail: { type, ...entry, ...place } }));
    }
  }
}

export const stream = new Stream();
