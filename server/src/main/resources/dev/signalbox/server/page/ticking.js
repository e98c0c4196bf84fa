/** Draws its host anew every second, for what counts up or down. */
export class Ticking {
  #host;
  #timer = 0;

  constructor(host) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected() {
    this.#timer = setInterval(() => this.#host.requestUpdate(), 1_000);
  }

  hostDisconnected() {
    clearInterval(this.#timer);
  }
}
