// Which catalogs an app has, what they lack, and for which messages.

import { all, get } from './api.js';
import { h } from './dom.js';
import { link } from './route.js';
import { action, notice } from './ui.js';

/// The catalogs, the last upload first; of one moment, the highest version first.
export const newestFirst = async (app, signal) =>
  (await all(['apps', app, 'catalogs'], {}, signal)).sort((one, other) =>
    other.created_at.localeCompare(one.created_at)
      || other.version.localeCompare(one.version, 'en', { numeric: true }));

/// What a catalog lacks; counts may be an hour old, but not older than the catalog.
export async function coverageOf(app, { version, created_at }, signal) {
  const load = (query) => get(['apps', app, 'catalogs', version, 'coverage'], query, signal);
  const coverage = await load({ max_age: 3600 });
  return coverage.counted_at < created_at ? load() : coverage;
}

/// What the newest build, or without any the server's catalog, lacks; `undefined` without a catalog.
export async function newestCoverage(app, signal) {
  const list = await newestFirst(app, signal);
  const newest = list.find(({ version }) => version !== 'server') ?? list[0];
  return newest && coverageOf(app, newest, signal);
}

/// A message that lacks a text, as `messages` of a coverage has it.
export const lackingMessage = (app, { message, keys, shows_nothing: isEmpty, detail }) =>
  notice(isEmpty ? 'bad' : 'warn', h('strong', {}, detail),
    h('p', {}, 'There is no text for ', keys.map(({ key }, index) => [index > 0 && ', ', h('code', { dir: 'ltr' }, key)]), '.'),
    action('Look at the message', link([app, 'messages', message])));
