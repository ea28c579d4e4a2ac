// One catalog: what it lacks and for how many devices, its strings, a key of it, another beside it.

import { all, call, get, pages } from './api.js';
import { shares } from './charts.js';
import { coverageOf, lackingMessage, newestFirst } from './coverage.js';
import { count, h, isRightToLeft, languageName, moment, number, percent, time } from './dom.js';
import { saving } from './filters.js';
import { findingList, findings } from './findings.js';
import { link, note, replace, route } from './route.js';
import {
  action, badge, button, confirm, empty, endless, facts, field, heading, later, panel, select, table, toast,
} from './ui.js';

/// The page of a catalog, of one of its keys, or of it beside another.
export default (page) => {
  const { app, rest: [version], query } = page;
  const part = query.has('with') ? compare : query.has('key') ? keyPage : catalogPage;
  return part({ ...page, version, path: ['apps', app, 'catalogs', version], home: [app, 'catalogs', version] });
};

/// `French fr`, with the tag quiet.
const language = (tag) => [languageName(tag), languageName(tag) !== tag && [' ', h('code', { class: 'quiet' }, tag)]];

// MARK: Catalog

async function catalogPage(page) {
  const { app, version, path, home, query, signal } = page;
  const [catalog, others] = await Promise.all([get(path, {}, signal), newestFirst(app, signal)]);
  const coverage = await coverageOf(app, catalog, signal);
  const other = select(others.map((other) => other.version).filter((other) => other !== version),
    others.find((other) => other.version !== version)?.version, { 'aria-label': 'Other catalog' });
  return [
    heading(`Catalog ${version}`,
      version === 'server' ? 'Texts that belong to no build. Postilion uses them if a build lacks a key.' : 'The texts of this build.',
      action('All catalogs', link([app, 'catalogs'])),
      action('Upload again', link([app, 'catalogs'], { upload: 1, version })),
      saving('Download the files', [...path, 'files'], undefined, `strings-${version}.zip`, 'application/zip'),
      button('Delete', () => remove(page), 'danger')),
    h('div', { class: 'columns' },
      panel('Facts', facts([
        ['Uploaded', time(catalog.created_at)],
        ['Devices', number(coverage.devices)],
        ['Keys', number(catalog.key_count), ofMessages(catalog, coverage)],
        ['Languages', number(catalog.languages.length)],
        ['Development language', language(catalog.development_language)],
        ['Findings', findings(catalog)],
      ]), others.length > 1 && h('form', { class: 'actions', onsubmit: (event) => {
        event.preventDefault();
        location.hash = link(home, { with: other.value });
      } }, 'Compare with', other, h('button', { class: 'button' }, 'Compare'))),
      coverage.unserved_devices > 0 && panel('Languages that the catalog lacks',
        h('p', { class: 'quiet' }, `${count(coverage.unserved_devices, 'device')} prefer a language that this catalog does not have. They get `
          + `${languageName(catalog.development_language)}.`),
        shares('Devices by language', coverage.unserved.slice(0, 8).map((entry) => ({
          label: languageName(entry.language), count: entry.devices,
          href: link([app, 'devices'], { language: entry.language }),
        })), coverage.devices)),
      states(catalog)),
    coverage.messages.length > 0 && panel('Messages without a text',
      h('div', { class: 'columns' }, coverage.messages.map((message) => lackingMessage(app, message)))),
    heat(home, coverage),
    catalog.diagnostics.length > 0 && diagnostics(home, query, catalog),
    strings(page, catalog, coverage),
  ].filter(Boolean);
}

async function remove({ app, version, path }) {
  const isSure = await confirm(`Delete catalog ${version}?`,
    'Devices of this build get the texts of another one.', 'Delete', version);
  if (!isSure) return;
  location.hash = link([app, 'catalogs']);
  later(`Catalog ${version} is about to be deleted.`, async () => {
    await call('DELETE', path);
    toast(`Catalog ${version} is deleted.`);
    const { page, rest, query } = route();
    if (page === 'catalogs' && !query.has('upload') && rest.length === 0) replace(location.hash);
  });
}

/// The keys that only messages use, which coverage counts, too: `, and 1 more that messages use: COURIER`.
function ofMessages({ key_count: keys, languages }, coverage) {
  const more = coverage.keys - keys;
  const names = [...lackingKeys(coverage)].filter(([, tags]) => tags.length === languages.length)
    .map(([id]) => nameOf(id).key).slice(0, 3);
  return more > 0 && [`, and ${number(more)} more that messages use: `, names.map((name, index) =>
    [index > 0 && ', ', h('code', { dir: 'ltr' }, name)]), more > names.length && ', …'];
}

/// Languages and the keys that some of them lack: the more devices, the stronger the cell.
function heat(home, coverage) {
  const { languages, keys, devices, counted_at: counted } = coverage;
  const lacking = lackingKeys(coverage);
  // Each language names its first keys in this order, so that of the first 60 each cell is certain.
  const columns = [...lacking.keys()].sort().slice(0, 60);
  return panel('Missing texts',
    h('p', { class: 'quiet' }, columns.length === 0 ? 'Every language has every key.'
      : 'A red cell is a text that the language lacks. The stronger the red, the more devices miss the text.',
    lacking.size > 60 && ' These are the first 60 keys.', counted && ` Counted ${moment(counted)}.`),
    h('div', { class: 'table heat' }, h('table', {},
      h('caption', { class: 'hidden' }, 'Languages, and the keys that they lack'),
      h('thead', {}, h('tr', {}, ['Language', 'Devices', 'Keys'].map((name) => h('th', { scope: 'col' }, name)),
        columns.map(nameOf).map(({ table, key }) => h('th', { scope: 'col', class: 'key' },
          h('a', { href: link(home, { key, table }), title: `${key} (${table})`, dir: 'ltr' }, key))))),
      h('tbody', {}, languages.map((row) => {
        const level = row.devices === 0 ? 0 : Math.ceil(row.devices / devices * 4);
        return h('tr', {}, h('th', { scope: 'row' }, language(row.language)),
          h('td', { class: 'numeric' }, number(row.devices)),
          h('td', {}, h('meter', { max: keys || 1, value: row.keys, 'aria-label': percent(row.keys / keys) }),
            h('span', { dir: 'ltr' }, ` ${number(row.keys)} of ${number(keys)}`)),
          columns.map((id) => lacking.get(id).includes(row.language)
            ? h('td', { class: `lacks level${level}`, title: `${nameOf(id).key}: ${count(row.devices, 'device')}` },
              h('span', { class: 'hidden' }, 'missing')) : h('td')));
      })))));
}

/// Keys by the state of their texts, as string catalogs and XLIFF have it.
function states({ localizations }) {
  const names = [...new Set(localizations.flatMap((entry) => Object.keys(entry.states)))].sort();
  return names.length > 0 && panel('States of translation',
    h('p', { class: 'quiet' }, 'A key has several texts if they depend on a number, device or width. If their states differ, it counts in each.'),
    table('Keys by language and state', [
      { name: 'Language', cell: (entry) => language(entry.language) },
      { name: 'Keys', numeric: true, cell: ({ keys }) => number(keys) },
      ...names.map((name) => ({ name: name.replaceAll(/[_-]/g, ' '), numeric: true,
        cell: ({ states }) => states[name] && number(states[name]) })),
    ], localizations));
}

/// `missing_plural_category` → `Missing plural category`.
const phrase = (code) => (code[0].toUpperCase() + code.slice(1)).replaceAll('_', ' ');

function diagnostics(home, query, catalog) {
  const slot = h('div');
  const codes = Map.groupBy(catalog.diagnostics, ({ code }) => code);
  const show = (code) => slot.replaceChildren(findingList(codes.get(code) ?? catalog.diagnostics));
  const choice = select([['', `All (${catalog.diagnostics.length})`],
    ...[...codes].map(([code, list]) => [code, `${phrase(code)} (${list.length})`])], query.get('code'), {
    onchange: () => { show(choice.value); remember({ code: choice.value }); },
  });
  show(choice.value);
  return panel('Findings of the upload', h('div', { class: 'filters' }, field('Kind', choice)), slot);
}

/// Changes filters in the address.
function remember(changes) {
  const { app, page, rest, query } = route();
  note(link([app, page, ...rest], { ...Object.fromEntries(query), ...changes }));
}

function strings({ path, home, query, signal }, catalog, coverage) {
  const slot = h('div');
  const known = h('datalist', { id: 'known-keys' });
  const suggest = (keys) => known.append(...keys.map((value) => h('option', { value })));
  suggest([...lackingKeys(coverage).keys()].map((id) => nameOf(id).key));
  const show = (tag) => {
    const rows = table('Strings', [
      { name: 'Key', cell: ({ table, key }) => h('a', { href: link(home, { key, table }), dir: 'auto' }, key) },
      { name: 'Table', cell: ({ table }) => table },
      { name: 'Text', cell: texts },
    ]);
    const list = endless(pages([...path, 'strings'], { language: tag }, signal),
      (items) => { rows.add(items); suggest(items.map(({ key }) => key)); },
      { one: 'string', none: empty('There is no string of this language.') });
    slot.replaceChildren(rows, list);
    list.start();
  };
  const { languages, development_language: development } = catalog;
  const first = [query.get('language'), development, languages[0]].find((tag) => languages.includes(tag));
  const choice = select(languages.map((tag) => [tag, languageName(tag)]), first, {
    onchange: () => { show(choice.value); remember({ language: choice.value }); },
  });
  const key = h('input', { type: 'search', list: known.id, required: true, autocomplete: 'off' });
  show(choice.value);
  return panel('Strings', h('form', { class: 'filters', onsubmit: (event) => {
    event.preventDefault();
    location.hash = link(home, { key: key.value });
  } }, field('Language', choice), h('div', { class: 'wide' }, field('Key, in full', key)),
  h('button', { class: 'button' }, 'Show the key'), known), slot);
}

// MARK: Key

const devices = { iphone: 'iPhone', ipad: 'iPad', ipod: 'iPod', mac: 'Mac', applewatch: 'Apple Watch',
  appletv: 'Apple TV', applevision: 'Apple Vision' };

/// The texts of an entry: one, or one for each number, device or width.
function texts({ language, value, format, variables = {}, variations }) {
  const text = (words) => h('p', { class: 'text', lang: language === 'Base' ? null : language.replaceAll('_', '-'),
    dir: isRightToLeft(language) ? 'rtl' : 'ltr' }, words);
  const cases = (values) => h('dl', { class: 'cases' }, values.map(([name, ...value]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value))));
  if (value !== undefined) return text(value);
  if (variations) {
    return cases(Object.entries(variations).flatMap(([kind, variants]) =>
      Object.entries(variants).map(([name, variant]) =>
        [kind === 'width' ? `width ${name}` : devices[name] ?? name, texts({ language, ...variant })])));
  }
  const names = Object.keys(variables);
  return [format !== `%#@${names[0]}@` && text(format), names.map((name) =>
    cases(Object.entries(variables[name].cases).map(([number, words]) =>
      [names.length > 1 ? `${name}: ${number}` : number, text(words)])))];
}

async function keyPage({ app, version, home, query, signal }) {
  const [key, name] = [query.get('key'), query.get('table')];
  const catalogs = (await newestFirst(app, signal))
    .filter((catalog, index) => index < 30 || catalog.version === version);
  const builds = await Promise.all(catalogs.map(async (catalog) => ({ ...catalog,
    strings: await all(['apps', app, 'catalogs', catalog.version, 'strings'], { key, table: name }, signal) })));
  const present = builds.find((build) => build.version === version);
  const head = heading(key, name && `In the table ${name}`, action(`Catalog ${version}`, link(home)));
  if (builds.every(({ strings }) => strings.length === 0)) {
    return [head, empty('No catalog has this key.',
      h('p', {}, 'Keys are compared exactly, with capitals and spaces.'))];
  }
  const tables = [...new Set(present.strings.map((entry) => entry.table))];
  return [head,
    ...tables.map((name) => panel(`Texts of ${version} in ${name}`, table('Texts by language', [
      { name: 'Language', cell: language },
      { name: 'Text', cell: (tag) => {
        const entry = present.strings.find((entry) => entry.language === tag && entry.table === name);
        return entry ? texts(entry) : badge('missing', 'bad');
      } },
    ], present.languages))),
    tables.length === 0 && panel(`Texts of ${version}`,
      h('p', {}, badge('missing', 'bad'), ' This catalog does not have the key.')),
    panel('Builds that have the key', h('p', { class: 'quiet' },
      `The last upload comes first${builds.length < 30 ? '' : ', and 30 at most are shown'}. “changed” means that the `
        + 'upload before had another text. – means that the build lacks the language or the key.'),
    matrix(app, key, name, builds))].filter(Boolean);
}

/// Builds and languages: where the key is, where it changed, where it was lost.
function matrix(app, key, name, builds) {
  const tags = [...new Set(builds.flatMap((build) => build.languages))].sort();
  const of = (build, tag) => build && JSON.stringify(build.strings.filter((entry) => entry.language === tag));
  return table('Builds and languages that have the key', [
    { name: 'Catalog', cell: ({ version }) =>
      h('a', { href: link([app, 'catalogs', version], { key, table: name }) }, version) },
    { name: 'Uploaded', cell: (build) => time(build.created_at) },
    { name: 'Key', cell: (build) => build.strings.length > 0 ? badge('there', 'good')
      : builds[builds.indexOf(build) + 1]?.strings.length > 0 ? badge('lost here', 'bad') : badge('not there', 'bad') },
    ...tags.map((tag) => ({ name: tag, cell: (build) => {
      if (!build.languages.includes(tag) || build.strings.length === 0) return '–';
      const [now, before] = [of(build, tag), of(builds[builds.indexOf(build) + 1], tag)];
      if (now === '[]') return badge('missing', 'bad');
      return [undefined, '[]', now].includes(before) ? badge('✓', 'good') : badge('changed', 'warn');
    } })),
  ], builds);
}

// MARK: Comparison

async function compare({ app, version, home, query, signal }) {
  const sides = await Promise.all([version, query.get('with')].map((version) => sideOf(app, version, signal)));
  const [one, other] = sides;
  const both = [[one, other], [other, one]];
  const sizes = (caption, name, rows, isBad) => panel(caption, table(caption, [
    { name, cell: ([name]) => name },
    ...sides.map(({ version }, index) => ({ name: version, numeric: true, cell: ([, value]) => {
      const size = value(sides[index]);
      return size === undefined ? '–' : number(size);
    } })),
    { name: 'Difference', numeric: true, cell: ([, value]) => difference(value(one) - value(other), isBad) },
  ], rows));
  const keys = (title, ids, cell) => ids.length > 0 && panel(`${title}: ${number(ids.length)}`, table(title, [
    { name: 'Key', cell: (id) => h('a', { href: link(home, nameOf(id)) }, nameOf(id).key) },
    { name: 'Table', cell: (id) => nameOf(id).table },
    ...(cell ? [{ name: 'Languages', cell }] : []),
  ], ids.slice(0, 200)), ids.length > 200 && h('p', { class: 'quiet' }, 'These are the first 200.'));
  return [
    heading(`${version} beside ${other.version}`, `“+1” means that ${version} has one more than ${other.version}.`,
      action('Swap', link([app, 'catalogs', other.version], { with: version })),
      action(`Catalog ${version}`, link(home))),
    h('div', { class: 'columns' },
      sizes('Sizes', 'What', [['Keys', (side) => side.key_count], ['Languages', (side) => side.languages.length],
        ['Devices', (side) => side.coverage.devices], ['Warnings', (side) => side.diagnostics.length]]),
      sizes('Missing texts', 'Language', [...new Set([...one.languages, ...other.languages])].map((tag) =>
        [language(tag), ({ coverage }) => coverage.languages.find((entry) => entry.language === tag)?.missing]), true)),
    both.map(([side, than]) => {
      const tags = side.languages.filter((tag) => !than.languages.includes(tag));
      return tags.length > 0
        && panel(`Languages only in ${side.version}`, h('p', {}, tags.map(languageName).join(', ')));
    }),
    both.map(([side, than]) => keys(`Keys only in ${side.version}`, [...side.keys].filter((id) => !than.keys.has(id)))),
    both.map(([side, than]) => keys(`Keys that lack a language only in ${side.version}`,
      [...side.lacking.keys()].filter((id) => than.keys.has(id) && !than.lacking.has(id)),
      (id) => side.lacking.get(id).map(languageName).join(', '))),
    Math.max(one.key_count, other.key_count) > most
      && h('p', { class: 'quiet' }, `With more than ${number(most)} keys, keys are not compared one by one.`),
  ].flat().filter(Boolean);
}

/// The most keys that are compared one by one.
const most = 20_000;

/// A catalog with its coverage, the languages that each key lacks, and its keys, which are those of
/// its fullest language and those that this lacks.
async function sideOf(app, version, signal) {
  const path = ['apps', app, 'catalogs', version];
  const catalog = await get(path, {}, signal);
  const [fullest] = [...catalog.localizations].sort((one, other) => other.keys - one.keys);
  const [coverage, strings] = await Promise.all([coverageOf(app, catalog, signal),
    catalog.key_count > most ? [] : all([...path, 'strings'], { language: fullest.language }, signal)]);
  const lacking = lackingKeys(coverage);
  // A key that every language lacks is one that only messages need.
  const partly = [...lacking].filter(([, tags]) => tags.length < catalog.languages.length).map(([id]) => id);
  return { ...catalog, coverage, lacking, keys: new Set([...strings.map(idOf), ...partly]) };
}

/// A key with its table as one text, and back.
const idOf = ({ table, key }) => `${table}\0${key}`;
const nameOf = (id) => ({ table: id.split('\0')[0], key: id.split('\0')[1] });

/// The keys that languages lack, each with these languages.
function lackingKeys({ languages }) {
  const lacking = new Map();
  for (const { language, missing_keys: missing } of languages) {
    for (const id of missing.map(idOf)) lacking.set(id, [...lacking.get(id) ?? [], language]);
  }
  return lacking;
}

/// `+3`, with a colour when more is worse.
const difference = (value, isBad) => Number.isNaN(value) ? '–' : value === 0 ? '0'
  : badge(h('bdi', { dir: 'ltr' }, `${value > 0 ? '+' : '−'}${number(Math.abs(value))}`),
    isBad ? (value > 0 ? 'bad' : 'good') : '');
