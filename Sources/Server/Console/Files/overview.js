// What the app is made of, what happens to it, and what needs care first.

import { all, buildsWithoutCatalog, get } from './api.js';
import { days, shares } from './charts.js';
import { coverageOf, lackingMessage, newestBuild } from './coverage.js';
import { count, h, languageName, number, percent, platforms } from './dom.js';
import { link } from './route.js';
import { action, badge, empty, heading, notice, panel, prose } from './ui.js';

/// Counts may be this old: the service keeps the last ones.
const maximumAge = 3600;

export default async function overview({ app, record, signal }) {
  const [counted, { items: breakers }, catalogs] = await Promise.all([
    get(['apps', app, 'stats'], { max_age: maximumAge }, signal),
    get(['apps', app, 'feedback', 'breakers'], {}, signal), all(['apps', app, 'catalogs'], {}, signal),
  ]);
  const stats = counted.total > 0 ? counted : await get(['apps', app, 'stats'], {}, signal);
  // Breakers and catalogs are those of now; the counts may be older.
  stats.breakers = breakers.filter(({ state }) => state === 'open');
  stats.builds_without_catalog = buildsWithoutCatalog(stats, catalogs);
  const newest = newestBuild(catalogs);
  const coverage = newest && stats.total > 0 ? await coverageOf(app, newest, signal) : undefined;
  const devices = (query) => link([app, 'devices'], query);
  const top = (values, filter, name = (value) => value) => [
    ...values.top.slice(0, 8).map(({ value, count }) => ({
      label: value === null ? 'not reported' : name(value), count,
      href: value === null ? null : devices({ [filter]: value }),
    })),
    ...rest(values.top.slice(8).reduce((sum, { count }) => sum + count, values.other)),
  ];
  const counts = (values, filter, name = (value) => value) => Object.entries(values).filter(([, count]) => count > 0)
    .sort((one, other) => other[1] - one[1])
    .map(([value, count]) => ({ label: name(value), count, href: devices({ [filter]: value }) }));

  if (stats.total === 0) {
    return [heading(record.name, record.bundle_id), ...warnings(record),
      empty('No device has registered yet.',
        h('p', {}, 'The app registers with a client key; the library PostilionClient does it for you.'),
        action('Make a client key', link([app, 'keys']), 'primary'))];
  }
  const others = Object.values(stats.credential).reduce((sum, count) => sum + count, 0) - stats.credential.apns;
  const none = stats.total - Object.values(stats.status.apns).reduce((sum, count) => sum + count, 0);
  return [
    heading(record.name, `${count(stats.total, 'device')} · ${record.bundle_id}`),
    care(app, record, stats, coverage),
    panel(`The last ${stats.registrations.length} days`, days('The days', [
      { name: 'New devices', kind: '', days: stats.registrations },
      { name: 'Tokens replaced', kind: '', days: stats.rotations },
      { name: 'Tokens taken out of use', kind: 'warn', days: stats.invalidations },
      { name: 'Failed registrations', kind: 'bad', days: stats.failures },
    ])),
    h('div', { class: 'columns' },
      panel('Languages', shares('Devices by first language', top(stats.language, 'language', languageName), stats.total)),
      panel('App versions', shares('Devices by app version', top(stats.app_version, 'app_version'), stats.total)),
      panel('Systems', shares('Devices by version of the system', top(stats.os_version, 'os_version'), stats.total)),
      panel('Tokens', shares('Devices by the status of their token', [
        ...counts(stats.status.apns, 'status'), ...(none > 0 ? [{ label: 'no token', count: none }] : []),
      ], stats.total),
      h('p', { class: 'quiet' }, `Beside these, ${count(others, 'token')} of other kinds.`)),
      panel('Platforms', shares('Devices by platform', counts(stats.platform, 'platform', (value) => platforms[value] ?? value), stats.total)),
      panel('Environments', shares('Devices by environment', counts(stats.environment, 'environment'), stats.total))),
    h('p', { class: 'quiet' }, `Counted ${new Date(stats.counted_at).toLocaleTimeString()}.`),
  ];
}

const rest = (count) => count > 0 ? [{ label: 'others', count }] : [];

/// What is dangerous about the settings of the app.
const warnings = (record) => record.warnings.map(({ code, detail }) => notice('bad',
  h('strong', {}, code === 'identity_verification_off' ? 'Anyone can be any user' : code.replaceAll('_', ' ')), h('p', {}, prose(detail))));

/// What needs somebody, each with the way out.
function care(app, record, stats, coverage) {
  const items = warnings(record);
  for (const breaker of stats.breakers) {
    items.push(notice('bad', h('strong', {}, `APNs refused many tokens of ${breaker.environment} at once`),
      h('p', {}, 'Postilion takes none of them out of use while the breaker is open. Most often the sender uses the wrong environment.'),
      action('Look at the breaker', link([app, 'feedback']))));
  }
  const burst = failureBurst(stats.failures);
  if (burst) {
    items.push(notice('bad', h('strong', {}, `${count(burst.count, 'registration')} failed on ${burst.day}`),
      h('p', {}, `On other days about ${number(burst.usual)} fail.`),
      action('See the causes', link([app, 'failures'], { since: `${burst.day}T00:00:00Z` }))));
  }
  const builds = stats.builds_without_catalog;
  if (builds.length > 0) {
    const devices = builds.reduce((sum, build) => sum + build.devices, 0);
    const names = builds.slice(0, 3).map((build) => build.app_build ?? build.app_version).join(', ');
    items.push(notice('warn', h('strong', {}, `${count(builds.length, 'build')} without a catalog: ${names}${builds.length > 3 ? ', …' : ''}`),
      h('p', {}, `${count(devices, 'device')} (${percent(devices / stats.total)}) get the texts of another build.`),
      action('Upload a catalog', link([app, 'catalogs']))));
  }
  items.push(...coverage?.messages.slice(0, 4).map((message) => lackingMessage(app, message)) ?? []);
  if (coverage?.unserved.length > 0) {
    const names = coverage.unserved.map(({ language }) => languageName(language));
    items.push(notice('warn', h('strong', {}, `No texts in ${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`),
      h('p', {}, `${count(coverage.unserved_devices, 'device')} with the newest build ${coverage.version} prefer languages that it does not have.`),
      action('See the coverage', link([app, 'catalogs', coverage.version]))));
  }
  const quarantined = Object.values(stats.status).reduce((sum, kind) => sum + kind.quarantined, 0);
  if (quarantined > 0) {
    items.push(notice('', h('strong', {}, `${count(quarantined, 'token')} in quarantine`),
      h('p', {}, 'APNs refused them. Each comes back into use when its app registers again.'),
      action('See the devices', link([app, 'devices'], { status: 'quarantined' }))));
  }
  return panel('What needs care', items.length > 0 ? h('div', { class: 'columns' }, items)
    : h('p', {}, badge('All well', 'good'), ' No open breaker, no burst of failures, every build has its catalog.'));
}

/// The last day, if more failed on it than usual: ten or more, and three times the median.
function failureBurst(days) {
  const recent = days.slice(-2).sort((one, other) => other.count - one.count)[0];
  const counts = days.slice(0, -2).map((entry) => entry.count).sort((one, other) => one - other);
  const usual = counts[Math.floor(counts.length / 2)] ?? 0;
  return recent && recent.count >= 10 && recent.count > usual * 3 ? { ...recent, usual } : undefined;
}
