import { html, nothing } from 'lit';
import { may, me, recall, session, signOut } from './api.js';
import { route } from './route.js';
import { Part } from './part.js';
import { stream } from './stream.js';
import { problem } from './parts/words.js';
import { systems } from './systems.js';
import './pages/overview.js';
import './pages/instances.js';
import './pages/instance.js';
import './pages/approvals.js';
import './pages/machines.js';
import './pages/machine.js';
import './pages/publish.js';
import './pages/work.js';
import './pages/metrics.js';
import './pages/notifications.js';
import './pages/audit.js';

const PAGES = [
  { path: '', title: 'Overview', show: () => html`<sb-overview></sb-overview>` },
  { path: 'instances', title: 'Instances', show: (r) => html`<sb-instances .filter=${r.query}></sb-instances>` },
  { path: 'approvals', title: 'Approvals', show: () => html`<sb-approvals></sb-approvals>` },
  { path: 'machines', title: 'Machines', show: () => html`<sb-machines></sb-machines>` },
  { path: 'work', title: 'Work', show: (r) => html`<sb-work .tab=${r.parts[1] ?? 'tasks'}></sb-work>` },
  { path: 'metrics', title: 'Metrics', show: () => html`<sb-metrics></sb-metrics>` },
  { path: 'notifications', title: 'Notifications', may: ['viewer', 'operator', 'admin'], show: () => html`<sb-notifications></sb-notifications>` },
  { path: 'audit', title: 'Audit', show: (r) => html`<sb-audit .filter=${r.query}></sb-audit>` },
];

/** The frame around every page: where one can go, who one is, whether the page is live. */
class App extends Part {
  static properties = {
    ready: { state: true },
    open: { state: true },
    problem: { state: true },
    systems: { state: true },
  };

  constructor() {
    super();
    this.ready = false;
    this.open = false;
    this.problem = null;
    this.systems = [];
  }

  async connectedCallback() {
    super.connectedCallback();
    addEventListener('hashchange', () => this.#moved());
    session.addEventListener('change', () => this.#signedInOrOut());
    stream.addEventListener('state', () => this.requestUpdate());
    addEventListener('theme', () => this.requestUpdate());
    stream.addEventListener('signed-out', () => recall().catch(() => {}));
    await this.#begin();
  }

  async #begin() {
    try {
      await recall();
      this.problem = null;
      this.ready = true;
    } catch (found) {
      this.problem = found;
      setTimeout(() => this.#begin(), 2_000);
    }
  }

  async #signedInOrOut() {
    if (me === null) {
      stream.close();
      this.systems = [];
      // Signing in leads back to what was shown.
      location.replace(`/sign-in?to=${encodeURIComponent(location.hash)}`);
    } else {
      stream.open();
      this.systems = await systems().catch(() => []);
    }
    this.requestUpdate();
  }

  /** A new page begins at its top, and says so to those who listen to it. */
  #moved() {
    this.open = false;
    this.requestUpdate();
    this.updateComplete.then(() => {
      scrollTo(0, 0);
      this.querySelector('main')?.focus({ preventScroll: true });
    });
  }

  render() {
    if (this.problem) {
      return html`<main class="alone"><h1>Signalbox</h1>${problem(this.problem)}</main>`;
    }
    if (!this.ready) {
      return nothing;
    }
    if (me === null) {
      return html`<main class="alone"><h1>Signed out</h1><p>Your session has ended. <a href="/sign-in">Sign in</a></p></main>`;
    }
    const here = route();
    const page = this.#page(here);
    document.title = `${page.title} · Signalbox`;
    return html`
      <a class="skip" href="#content" @click=${this.#skip}>Skip to the content</a>
      <header class="frame ${this.open ? 'open' : ''}">
        <div class="brand">
          <a href="#/" class="mark"><img src="/sign-in/icon.svg" alt="" width="22" height="22"> Signalbox</a>
          <button class="quiet menu" aria-expanded=${this.open} aria-controls="navigation"
            @click=${() => { this.open = !this.open; }}>Menu</button>
        </div>
        <nav id="navigation" aria-label="Pages">
          <ul>${PAGES.filter((p) => !p.may || may(...p.may)).map((p) => this.#link(p.path, p.title, here))}</ul>
          ${this.systems.some((s) => s.pages.length)
            ? html`<h2>Systems</h2><ul>${this.systems.flatMap((system) =>
                system.pages.map((p) => this.#link(`systems/${system.name}${p.path ? `/${p.path}` : ''}`, p.title, here)))}</ul>`
            : nothing}
        </nav>
        <div class="self">
          ${this.#pulse()}
          <button class="quiet" @click=${this.#flip}>${document.documentElement.dataset.theme === 'dark' ? 'Light' : 'Dark'} theme</button>
          <p class="me" title=${me.roles.join(', ')}><strong>${me.name}</strong><br><span class="soft">${me.roles.join(', ')}</span></p>
          <button class="quiet" @click=${() => signOut()}>Sign out</button>
        </div>
      </header>
      <main id="content" tabindex="-1">${page.show(here)}</main>
    `;
  }

  #page(here) {
    const [first, second] = here.parts;
    if (first === 'instances' && second) {
      return { title: second, show: () => html`<sb-instance .name=${second} .at=${here.query.at ?? null}></sb-instance>` };
    }
    if (first === 'machines' && second === 'publish') {
      return { title: 'Publish', show: () => html`<sb-publish .from=${here.query.from ?? ''}></sb-publish>` };
    }
    if (first === 'machines' && second) {
      return { title: second, show: () => html`<sb-machine .name=${second} .query=${here.query}></sb-machine>` };
    }
    if (first === 'systems') {
      const system = this.systems.find((s) => s.name === second);
      const page = system?.pages.find((p) => p.path === here.parts.slice(2).join('/')) ?? system?.pages[0];
      if (page) {
        return { title: page.title, show: () => page.show(here) };
      }
    }
    return (
      PAGES.find((p) => p.path === (first ?? '')) ?? {
        title: 'Not found',
        show: () => html`<h1>There is no such page</h1><p><a href="#/">Overview</a></p>`,
      }
    );
  }

  #link(path, title, here) {
    const whole = here.parts.join('/');
    const current = path === '' ? whole === '' : whole === path || whole.startsWith(`${path}/`);
    return html`<li><a href="#/${path}" aria-current=${current ? 'page' : nothing}>${title}</a></li>`;
  }

  #pulse() {
    const [tone, word] = { live: ['good', 'Live'], broken: ['bad', 'Reconnecting'], off: ['calm', 'Off'] }[stream.state];
    return html`<p class="pulse" role="status"><span class="dot ${tone}"></span>${word}</p>`;
  }

  #flip() {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    document.documentElement.dataset.theme = next;
    localStorage.setItem('signalbox.theme', next);
    this.requestUpdate();
  }

  #skip(event) {
    event.preventDefault();
    this.querySelector('main').focus();
  }
}

customElements.define('sb-app', App);
