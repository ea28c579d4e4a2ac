// Registrations that failed: their causes, the cure, and the reports.

import { get, pages } from './api.js';
import { days, shares } from './charts.js';
import { count, h, percent, time } from './dom.js';
import { filter, filtered, period, saving } from './filters.js';
import { link, route } from './route.js';
import { empty, endless, heading, notice, panel, prose, select, table } from './ui.js';

const kinds = [['', 'All'], ['apns', 'Notifications'], ['voip', 'VoIP'], ['authorization', 'Permission']];

export default async function failures({ app, query, signal }) {
  const list = ['apps', app, 'failures'];
  return [
    heading('Failures', 'What devices reported when they could not register for notifications.',
      saving('Export CSV', list, () => route().query)),
    ...await filtered([app, 'failures'], [...period(query),
      ['Kind', select(kinds, query.get('kind'), { name: 'kind' })],
      ['Domain', filter(query, 'domain')], ['Code', filter(query, 'code', { type: 'number' })],
      ['App version', filter(query, 'app_version')], ['System version', filter(query, 'os_version')],
      ['Device id', filter(query, 'installation_id')],
    ], (values, signal) => show(app, list, values, signal), signal),
  ];
}

async function show(app, list, values, signal) {
  const { domain, code, ...others } = values;
  const isOne = Boolean(domain && code);
  const wide = isOne ? others : values;
  const summary = async (group_by, query) => (await get([...list, 'summary'], { ...query, group_by }, signal)).items;
  // One after the other: each counts all reports, and the service refuses many such counts at once.
  const causes = await summary('code', wide);
  if (causes.length === 0) return [empty('No failure fits.', h('p', {}, 'Choose a longer period, or clear a filter.'))];
  const chosen = causes.find((cause) => isOne && cause.domain === domain && String(cause.code) === code);
  const builds = await summary('code,app_version', wide);
  const versions = await summary('app_version', values);
  const systems = await summary('os_version', values);
  const byDay = await summary('day', values);
  const by = isOne ? 'This cause by' : 'By';
  const parts = (groups, name) => shares(`Failures by ${name.replaceAll('_', ' ')}`, groups.map((group) =>
    ({ label: group[name] ?? 'not reported', count: group.count })));
  const rows = table('Reports', [
    { name: 'When', cell: (row) => time(row.occurred_at) },
    { name: 'Device', cell: ({ installation_id: id, device_model: model }) =>
      id && h('a', { href: link([app, 'devices', id]) }, model ?? id.slice(0, 8)) },
    { name: 'App', cell: (row) => row.app_version },
    { name: 'System', cell: (row) => row.os_version },
    { name: 'Error', cell: ({ error }) => [name(error), ' ', h('span', { dir: 'auto' }, error.message)] },
  ]);
  const more = endless(pages(list, values, signal), rows.add, { one: 'report', none: empty('There is none.') });
  const reports = panel('Reports', rows, more);
  await more.start();
  return [
    notice('bad', h('p', { role: 'status' }, verdict(causes, chosen ?? causes[0], builds)),
      isOne && h('a', { href: link([app, 'failures'], others) }, 'Show all causes')),
    panel('Causes', h('ul', { class: 'shown' }, causes.map((cause) => h('li', {
      class: `notice ${cause === chosen ? 'bad' : ''}`, 'aria-current': cause === chosen ? 'true' : null,
    }, description(cause, link([app, 'failures'], { ...wide, domain: cause.domain, code: cause.code })))))),
    byDay.length > 0 && h('div', { class: 'columns thirds' },
      panel(`${by} day (UTC)`, days('The days', [{ name: 'Failures', kind: 'bad', days: withoutGaps(byDay) }])),
      panel(`${by} app version`, parts(versions, 'app_version')), panel(`${by} system`, parts(systems, 'os_version'))),
    reports,
  ].filter(Boolean);
}

const name = ({ domain, code }) => h('code', {}, `${domain} ${code}`);

const description = (cause, href) => [
  h('h3', {}, h('a', { href }, name(cause))),
  cause.explanation
    ? [h('p', {}, prose(cause.explanation.cause)), h('p', {}, h('strong', {}, 'Cure: '), prose(cause.explanation.cure))]
    : h('p', {}, 'Not a known error. Apple’s documentation may have its domain and code; the reports have its text.'),
  h('p', { class: 'quiet' }, `${count(cause.count, 'failure')} on ${count(cause.installations, 'device')} · first seen `,
    time(cause.first_occurred_at), ', last seen ', time(cause.last_occurred_at)),
];

/// One sentence: whether the failures have one cause, and in which builds.
function verdict(causes, cause, builds) {
  const { domain, code, explanation } = cause;
  const total = causes.reduce((sum, { count }) => sum + count, 0);
  const own = builds.filter((build) => build.domain === domain && build.code === code);
  const part = own[0]?.count / cause.count;
  const version = own[0]?.app_version ?? 'builds that do not say their version';
  const isMain = cause !== causes[0] || cause.count * 2 >= total;
  return [h('strong', {}, isMain ? 'One cause' : 'No single cause stands out. The most frequent one',
    ` is behind ${percent(cause.count / total)} of ${count(total, 'failure')}, `,
    part === 1 ? `all in ${version}` : part >= .8 ? `${percent(part)} of it in ${version}`
      : `in ${count(own.length, 'app version')}`, ': '),
  explanation ? prose(explanation.cause.split(/[:.](?:\s|$)/)[0]) : `the unknown error ${domain} ${code}`, '.'];
}

/// All days from the first to the last, at most a year.
function withoutGaps(groups) {
  const counts = new Map(groups.map((group) => [group.day, group.count]));
  const known = [...counts.keys()].sort();
  const end = Date.parse(known.at(-1));
  const length = Math.min(366, (end - Date.parse(known[0])) / 864e5 + 1);
  return Array.from({ length }, (_, index) => {
    const day = new Date(end - (length - 1 - index) * 864e5).toISOString().slice(0, 10);
    return { day, count: counts.get(day) ?? 0 };
  });
}
