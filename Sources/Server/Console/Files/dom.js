// Elements from data, and values as people read them.

const svgNamespace = 'http://www.w3.org/2000/svg';

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true && !name.startsWith('aria-') ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((child) =>
    child !== null && child !== undefined && child !== false && child !== ''));
  return element;
}

/// An HTML element. Attributes: `onclick` and the like take functions, `null` and `false` are left
/// out. Children: elements, texts, lists of them; nothing is ever read as HTML.
export function h(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/// The same for an element of SVG.
export function svg(name, attributes, ...children) {
  return fill(document.createElementNS(svgNamespace, name), attributes, children);
}

const numbers = new Intl.NumberFormat('en');
const shares = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/// 1234567 → `1,234,567`.
export const number = (value) => numbers.format(value);

/// 0.0312 → `3.1%`.
export const percent = (value) => shares.format(Number.isFinite(value) ? value : 0);

/// 1 → `1 device`, 2 → `2 devices`.
export const count = (value, one, many = `${one}s`) => `${number(value)} ${value === 1 ? one : many}`;

/// Milliseconds of one of the units of a relative time, largest first.
const units = [['year', 31_536e6], ['month', 2_592e6], ['day', 864e5], ['hour', 36e5], ['minute', 6e4]];

/// How long ago a moment is: `3 days ago`.
export function ago(iso) {
  const distance = new Date(iso) - Date.now();
  const [unit, length] = units.find(([, length]) => Math.abs(distance) >= length) ?? ['second', 1000];
  return relative.format(Math.round(distance / length), unit);
}

/// A moment, relative, with the exact time behind it; a dash for none.
export const time = (iso) =>
  iso ? h('time', { datetime: iso, title: moments.format(new Date(iso)) }, ago(iso)) : '–';

/// A moment in full, in the time zone of the reader.
export const moment = (iso) => moments.format(new Date(iso));

/// A moment as an input shows it: by the clock of the reader.
export function inputTime(moment) {
  const date = new Date(moment);
  return new Date(date - date.getTimezoneOffset() * 6e4).toISOString().slice(0, 16);
}

/// `pt-BR` → `Brazilian Portuguese`; the tag itself when it has no name.
export function languageName(tag) {
  try { return languages.of(tag.replaceAll('_', '-')) ?? tag; } catch { return tag; }
}

/// Platforms as people write them, by the words of the service.
export const platforms = { ios: 'iOS', ipados: 'iPadOS', macos: 'macOS', tvos: 'tvOS', watchos: 'watchOS',
  visionos: 'visionOS' };

const rightToLeft = new Set(['ar', 'ckb', 'dv', 'fa', 'he', 'iw', 'ks', 'ps', 'sd', 'ug', 'ur', 'yi']);

/// Whether a language is written from right to left.
export const isRightToLeft = (tag) => rightToLeft.has(String(tag).toLowerCase().split(/[-_]/)[0]);

/// JSON for people: two spaces, a member a line.
export const pretty = (value) => JSON.stringify(value, null, 2);

/// Calls a function once its caller has been quiet for a while.
export function debounce(milliseconds, body) {
  let timer;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => body(...values), milliseconds);
  };
}

/// Each token of `credentials` with its kind and the names above it.
export const tokens = (credentials) => Object.entries(credentials).flatMap(([kind, value]) => below(kind, value, []));

const below = (kind, value, names) => (value.token ? [{ kind, names, ...value }]
  : Object.entries(value).flatMap(([name, inner]) => below(kind, inner, [...names, name])));
