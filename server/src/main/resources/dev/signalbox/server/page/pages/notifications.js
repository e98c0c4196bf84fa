import { html, nothing } from 'lit';
import { get, may, part } from '../api.js';
import { Loaded } from '../loaded.js';
import { Part } from '../part.js';
import { to } from '../route.js';
import { choices, empty, list, problem, since, tag } from '../parts/words.js';
import { Doing } from '../parts/doing.js';
import { secretOnce } from '../parts/secret.js';

/** Who is told of what besides the page, and what could not be delivered. */
class Notifications extends Part {
  #subscriptions = new Loaded(this, (signal) => get('/subscriptions', signal), (entry) => entry.machine === 'subscription');
  #letters = new Loaded(this, (signal) => get('/dead-letters?most=200', signal), (entry) => entry.machine === 'delivery');
  #doing = new Doing(this, () => {
    this.#subscriptions.now();
    this.#letters.now();
  });

  render() {
    return html`<div class="title-row"><h1>Notifications</h1>
        ${may('operator', 'admin') ? html`<div class="actions"><button class="primary" @click=${() => this.#subscribe()}>Subscribe…</button></div>` : nothing}</div>
      ${problem(this.#subscriptions.problem ?? this.#letters.problem)} ${this.#doing.shown}
      <section class="card flush"><h2>Who is told</h2>${this.#who(this.#subscriptions.value?.subscriptions)}</section>
      <section class="card flush"><h2>What could not be delivered</h2>${this.#dead(this.#letters.value?.dead_letters)}</section>`;
  }

  #who(subscriptions) {
    if (!subscriptions) {
      return nothing;
    }
    const act = may('operator', 'admin');
    return subscriptions.length === 0
      ? empty('Nobody yet', 'A webhook or the log is told of what happens as soon as it is subscribed.')
      : html`<table class="stacking ${act ? 'with-actions' : ''}"><thead><tr><th>Name</th><th>State</th><th>Of what</th><th>How</th>${act ? ACTIONS : nothing}</tr></thead>
        <tbody>${subscriptions.map((one) => html`<tr>
          <td data-label="Name"><a class="id" href=${to(['instances', one.instance])}>${one.name}</a></td>
          <td data-label="State">${tag(one.state.toLowerCase(), one.state === 'ACTIVE' ? 'good' : 'warn')} ${one.reason ? html`<span class="soft">${one.reason}</span>` : nothing}</td>
          <td data-label="Of what">${one.audiences.join(', ')}${one.rules?.length ? html` <span class="soft">${one.rules.join(', ')}</span>` : nothing}</td>
          <td data-label="How">${one.url ? html`<code class="address">${one.url}</code>` : one.channel}</td>
          ${act ? html`<td class="row-actions">${this.#change(one)}</td>` : nothing}</tr>`)}</tbody></table>`;
  }

  #subscribe() {
    const inputs = html`
      <label class="field"><span>Name <span class="soft">small letters, digits and dashes</span></span><input name="name" required pattern="[a-z0-9][a-z0-9\\-]*" maxlength="100" autocomplete="off" autofocus></label>
      ${choices('Of what', 'audiences', AUDIENCES, ['user'])}
      <label class="field"><span>Only of these rules <span class="soft">separated by commas; empty means all</span></span><input name="rules" autocomplete="off"></label>
      <label class="field"><span>Address of the webhook <span class="soft">empty means the log</span></span><input name="url" type="url" autocomplete="off"></label>
      <label class="field"><span>Name of its secret <span class="soft">empty makes one, which is shown once</span></span><input name="secret" autocomplete="off"></label>`;
    const body = (form) => {
      const given = (name) => form.get(name).trim();
      return {
        name: given('name'),
        audiences: form.getAll('audiences'),
        rules: list(given('rules')),
        ...(given('url') ? { url: given('url') } : {}),
        ...(given('secret') ? { secret: given('secret') } : {}),
      };
    };
    const done = (made) =>
      made.signing_secret
        ? secretOnce(`The webhook ${made.name} is subscribed.`, made.signing_secret, () => this.#doing.forget())
        : html`<div class="notice good" role="status"><p>${made.name} is subscribed.</p></div>`;
    this.#doing.ask('Subscribe', 'Subscribe', 'It is told of what happens from now on.', '/subscriptions', { danger: false, inputs, body, reason: false, done });
  }

  #change(one) {
    const path = `/subscriptions/${part(one.name)}`;
    const remove = html`<button aria-label="Remove ${one.name}" @click=${() => this.#doing.ask('Remove', `Remove ${one.name}`, 'It is told nothing any more. It can’t be taken back.', `${path}/remove`, { reason: false })}>Remove…</button>`;
    return html`${this.#stand(one, path)} ${remove}`;
  }

  #stand(one, path) {
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

const AUDIENCES = ['user', 'system', 'audit'];
const ACTIONS = html`<th><span class="unseen">Actions</span></th>`;

customElements.define('sb-notifications', Notifications);
