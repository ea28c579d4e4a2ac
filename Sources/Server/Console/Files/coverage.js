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

/// One to four dotted numbers, as the service reads a version.
const numbers = /^\d+(\.\d+){0,3}$/;

/// The catalogs of builds, the highest version first, number by number. A name that is no version
/// comes behind all that are; `server` is no build.
function builds(catalogs) {
  const isVersion = ({ version }) => numbers.test(version);
  const named = catalogs.filter(({ version }) => version !== 'server');
  return [...named.filter(isVersion).sort((one, other) => other.version.localeCompare(one.version, 'en', { numeric: true })),
    ...named.filter((catalog) => !isVersion(catalog))];
}

/// The catalog of the newest build, which may have been uploaded before that of an older one.
export const newestBuild = (catalogs) => builds(catalogs)[0];

/// The languages of the three newest builds.
export const recentLanguages = (catalogs) =>
  [...new Set(builds(catalogs).slice(0, 3).flatMap(({ languages }) => languages))].sort();

/// What a catalog lacks; counts may be an hour old, but not older than the catalog.
export async function coverageOf(app, { version, created_at }, signal) {
  const load = (query) => get(['apps', app, 'catalogs', version, 'coverage'], query, signal);
  const coverage = await load({ max_age: 3600 });
  return coverage.counted_at < created_at ? load() : coverage;
}

/// What the newest build, or without any the server's catalog, lacks; `undefined` without a catalog.
export async function newestCoverage(app, signal) {
  const list = await newestFirst(app, signal);
  const newest = newestBuild(list) ?? list[0];
  return newest && coverageOf(app, newest, signal);
}

/// A message that lacks a text, as `messages` of a coverage has it.
export const lackingMessage = (app, { message, keys, shows_nothing: isEmpty, detail }) =>
  notice(isEmpty ? 'bad' : 'warn', h('strong', {}, detail),
    h('p', {}, 'There is no text for ', keys.map(({ key }, index) => [index > 0 && ', ', h('code', { dir: 'ltr' }, key)]), '.'),
    action('Look at the message', link([app, 'messages', message])));
