// Addresses of the console: `#/app/page/…?filters`. What follows the number sign never leaves the
// browser, so that no filter with a person's name gets into a log.

/// What the present address says.
export function route() {
  const [path, query] = location.hash.slice(1).split('?');
  const parts = path.split('/').slice(1).map(decodeURIComponent);
  return { app: parts[0] ?? '', page: parts[1] ?? '', rest: parts.slice(2), query: new URLSearchParams(query) };
}

/// The address of a page, for `href`; of the query what is empty is left out.
export function link(parts, query = {}) {
  const pairs = (query instanceof URLSearchParams ? [...query] : Object.entries(query))
    .filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(pairs).toString();
  return '#/' + parts.map(encodeURIComponent).join('/') + (text ? `?${text}` : '');
}

/// Goes to a page.
export const go = (address) => { location.hash = address; };

/// Shows a page in the place of the present one, without a step in the browser's history.
export function replace(address) {
  note(address);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/// Changes the address and nothing else: what a page shows already.
export const note = (address) => history.replaceState(null, '', address);
