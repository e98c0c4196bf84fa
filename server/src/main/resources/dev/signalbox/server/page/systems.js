import { get } from './api.js';

/**
 * The systems and their own pages. A system that has some keeps an ES module `page.js` in its
 * folder, served below the system's name, which exports
 *
 *   export const pages = [{ path: '', title: 'Runs', show: (route) => html`<runs-board></runs-board>` }];
 *
 * `show` gives a Lit template; `signalbox/…` imports what this page is made of. With
 * `export const styles = '/NAME/page.css'` its style sheet is loaded too. A system whose module fails
 * to load is listed without pages.
 */
let known = null;

export function systems() {
  known ??= load().catch((problem) => {
    known = null;
    throw problem;
  });
  return known;
}

async function load() {
  const { systems: listed } = await get('/systems');
  return Promise.all(
    listed.map(async (system) => ({
      ...system,
      pages: system.page ? await pages(system.page) : [],
    })),
  );
}

async function pages(address) {
  try {
    const module = await import(address);
    if (module.styles) {
      const sheet = document.createElement('link');
      sheet.rel = 'stylesheet';
      sheet.href = module.styles;
      document.head.append(sheet);
    }
    return module.pages;
  } catch (problem) {
    console.error(`The page ${address} can't be loaded:`, problem);
    return [];
  }
}
