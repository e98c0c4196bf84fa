/** Where the page is: what stands behind the address's #. */
export function route() {
  const [path, search = ''] = location.hash.replace(/^#\/?/, '').split('?');
  return {
    parts: path.split('/').filter((part) => part !== '').map(decodeURIComponent),
    query: Object.fromEntries(new URLSearchParams(search)),
  };
}

/** The address of a page. */
export function to(parts, query = {}) {
  const pairs = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const path = [].concat(parts).map(encodeURIComponent).join('/');
  return `#/${path}${pairs.length ? `?${new URLSearchParams(pairs)}` : ''}`;
}

/** Changes what is asked for on the same page, without a step back for every letter typed. */
export function replace(parts, query) {
  history.replaceState(null, '', to(parts, query));
}
