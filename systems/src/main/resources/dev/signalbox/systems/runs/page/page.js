import { html } from 'lit';
import './list.js';
import './run.js';

export const styles = '/runs/page.css';

/** `#/systems/runs` lists them, `#/systems/runs/ID` is one. */
export const pages = [
  {
    path: '',
    title: 'Approved runs',
    show: (route) => (route.parts[2] ? html`<runs-run .run=${route.parts[2]}></runs-run>` : html`<runs-list .filter=${route.query}></runs-list>`),
  },
];
