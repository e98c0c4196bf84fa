import { html, nothing } from 'lit';
import { get, may, part } from '../api.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { empty, problem, since, tag } from '../parts/words.js';
import { Doing } from '../parts/doing.js';

/** Who is told of what besides the page, and what could not be delivered. */
class Notifications extends Part {
  #subscriptions = new Loaded(this, (signal) => get('/subscriptions', signal), (entry) => entry.machine === 'subscription');
  #letters = new Loaded(this, (signal) => get('/dead-letters?most=200', signal), (entry) => entry.machine === 'delivery');
  #doing = new Doing(this, () => {
    this.#subscriptions.now();
    this.#letters.now();
  });

  render() {
    return html`<div class="title-row"><h1>Notifications</h1></div>
      ${problem(this.#subscriptions.problem ?? this.#letters.problem)} ${this.#doing.shown}
      <section class="card flush"><h2>Who is told</h2>${this.#who(this.#subscriptions.value?.subscriptions)}</section>
      <section class="card flush"><h2>What could not be delivered</h2>${this.#dead(this.#letters.value?.dead_letters)}</section>`;
  }

  #who(subscriptions) {
    if (!subscriptions) {
      return nothing;
    }
    const act = may('operator');
    return subscriptions.length === 0
      ? empty('Nobody yet', html`Webhooks and the log are subscribed with <code>POST /api/v1/subscriptions</code>.`)
      : html`<table class="stacking ${act ? 'with-actions' : ''}"><thead><tr><th>Name</th><th>State</th><th>Of what</th><th>How</th>${act ? ACTIONS : nothing}</tr></thead>
        <tbody>${subscriptions.map((one) => html`<tr>
          <td data-label="Name"><a class="id" href=${to(['instances', one.instance])}>${one.name}</a></td>
          <td data-label="State">${tag(one.state.toLowerCase(), one.state === 'ACTIVE' ? 'good' : 'warn')} ${one.reason ? html`<span class="soft">${one.reason}</span>` : nothing}</td>
          <td data-label="Of what">${one.audiences.join(', ')}${one.rules?.length ? html` <span class="soft">${one.rules.join(', ')}</span>` : nothing}</td>
          <td data-label="How">${one.url ? html`<code class="address">${one.url}</code>` : one.channel}</td>
          ${act ? html`<td class="row-actions">${this.#change(one)}</td>` : nothing}</tr>`)}</tbody></table>`;
  }

  #change(one) {
    const path = `/subscriptions/${part(one.name)}`;
    return one.state === 'ACTIVE'
      ? html`<button aria-label="Pause ${one.name}" @click=${() => this.#doing.ask('Pause', `Pause ${one.name}`, 'What happens meanwhile is told when it is resumed.', `${path}/pause`)}>Pause…</button>`
      : html`<button aria-label="Resume ${one.name}" @click=${() => this.#doing.now(`${one.name} is told again.`, `${path}/resume`)}>Resume</button>`;
  }

  #dead(letters) {
    if (!letters) {
      return nothing;
    }
    const act = may('operator');
    return letters.length === 0
      ? empty('Everything arrived')
      : html`<table class="stacking ${act ? 'with-actions' : ''}"><thead><tr><th>Notification</th><th>For</th><th>Tries</th><th>Why</th><th>Since</th>${act ? ACTIONS : nothing}</tr></thead>
        <tbody>${letters.map((one) => html`<tr>
          <td data-label="Notification"><a class="id" href=${to(['instances', one.id])}>${one.notification}</a></td>
          <td data-label="For">${one.subscription}</td>
          <td data-label="Tries">${one.attempts}</td>
          <td data-label="Why"><span class="bad">${one.reason}</span></td>
          <td data-label="Since">${since(one.since)}</td>
          ${act
            ? html`<td class="row-actions"><button aria-label="Send ${one.notification} again" @click=${() => this.#doing.now('It is sent once more.', `/dead-letters/${part(one.id)}/redeliver`)}>Send again</button>
                <button aria-label="Discard ${one.notification}" @click=${() => this.#doing.ask('Discard', 'Discard the notification', 'Nobody is told of it any more.', `/dead-letters/${part(one.id)}/discard`)}>Discard…</button></td>`
            : nothing}</tr>`)}</tbody></table>`;
  }
}

const ACTIONS = html`<th><span class="unseen">Actions</span></th>`;

customElements.define('sb-notifications', Notifications);
