import { html } from 'lit';
import { get, may, post } from 'signalbox/api.js';
import { Loaded } from 'signalbox/loaded.js';
import { Part } from 'signalbox/part.js';

/** The lamps of a board, live, each with a switch for those who may. */
class LampBoard extends Part {
  #lamps = new Loaded(this, (signal) => get('/board/lamps', signal), (entry) => entry.machine === 'board.lamp');

  render() {
    return html`<h1>Board</h1>
      <ul class="lamps">${(this.#lamps.value?.lamps ?? []).map((lamp) => html`<li>${lamp.id}: <strong>${lamp.state}</strong>
        ${may('operator') ? html`<button @click=${() => post(`/instances/${lamp.id}/events`, { event: 'flip' })}>Flip ${lamp.id}</button>` : ''}</li>`)}</ul>`;
  }
}

customElements.define('lamp-board', LampBoard);

export const styles = '/board/page.css';
export const pages = [
  { path: '', title: 'Board', show: () => html`<lamp-board></lamp-board>` },
  { path: 'about', title: 'About the board', show: (route) => html`<h1>About ${route.parts[1]}</h1>` },
];
