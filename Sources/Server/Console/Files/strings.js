// The keys of the app with their texts, as people choose them.

import { all } from './api.js';
import { newestBuild } from './coverage.js';

/// Where an argument stands in a text, such as `%2$@` or `%lld`; `%%` is a percent sign.
const place = /%(?:(%)|(?:(\d+)\$)?[-+ #0-9.]*(?:hh|h|ll|l|q|z|t|j|L)?[@a-zA-Z])/g;

/// A text with names in the place of its arguments: `%@ is ready` → `{name} is ready`.
export function named(text, names) {
  let next = 0;
  return text.replace(place, (whole, percent, position) => {
    if (percent) return '%';
    const index = position ? position - 1 : next++;
    return names?.[index] === undefined ? '…' : `{${names[index]}}`;
  });
}

/// One text of an entry: that for most numbers, if it differs by number.
function textOf({ value, variables = {}, variations }) {
  if (value !== undefined) return value;
  const variants = variations && Object.values(Object.values(variations)[0] ?? {});
  if (variants) return variants.length > 0 ? textOf(variants.at(-1)) : '';
  const { cases } = Object.values(variables)[0] ?? {};
  return cases?.other ?? Object.values(cases ?? {})[0] ?? '';
}

/// The keys that messages may name: those of the newest build, and of the catalog `server`. Each
/// has its `table`, and its `text` in the development language.
export async function knownKeys(app, catalogs, signal) {
  const newest = newestBuild(catalogs);
  const server = catalogs.find(({ version }) => version === 'server');
  const lists = await Promise.all([newest, server].filter(Boolean).map(({ version, development_language: language }) =>
    all(['apps', app, 'catalogs', version, 'strings'], { language }, signal)));
  const found = new Map();
  for (const { table, key, ...entry } of lists.flat()) {
    const id = `${table}\0${key}`;
    if (!found.has(id)) found.set(id, { table, key, text: textOf(entry) });
  }
  return [...found.values()];
}
