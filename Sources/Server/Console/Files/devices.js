// The list of devices: a search box that understands what is pasted into it, filters, persons.

import { call, download, pages } from './api.js';
import { count, h, languageName, platforms, time } from './dom.js';
import { go, link, note } from './route.js';
import {
  badge, button, confirm, empty, endless, field, heading, later, panel, select, status, table, toast,
} from './ui.js';

/// The filters, by the names of the API. Those of attributes and of the switches of the authorization
/// are `attributes[NAME]` and `authorization[SWITCH]`.
const names = new Set(('user tag tags[all] tags[any] tags[none] language time_zone status token credential platform '
  + 'environment localization background_refresh authorization capability '
  + 'app_version app_version[gte] app_version[lt] os_version os_version[gte] os_version[lt] '
  + 'app_build app_build[gte] app_build[lt] seen_since seen_until registered_since registered_until '
  + 'updated_since updated_until').split(' '));

/// Other spellings of names and signs in the search box.
const spellings = new Map([['lang', 'language'], ['app', 'app_version'], ['os', 'os_version'], ['build', 'app_build']]);
const signs = new Map([['>=', '[gte]'], ['>', '[gt]'], ['<=', '[lte]'], ['<', '[lt]']]);

/// What a text in the search box means: `{id}` of a device, or `{filters}` as names and values.
function understood(text) {
  const bare = text.replace(/[<>\s]/g, '').toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(bare)) return { id: bare };
  if (/^[0-9a-f]{8,}$/.test(bare)) return { filters: [['token', bare]] };
  const parts = text.match(/[^\s"]*"[^"]*"|\S+/g) ?? [];
  return { filters: parts.map((part) => {
    const plain = part.replaceAll('"', '');
    const [, name, sign, value] = /^([\w.-]+(?:\[[^\]]*\]){0,2})(:|>=|<=|=|>|<)(.+)$/.exec(plain) ?? [];
    if (!name) return ['user', plain];
    const whole = spellings.get(name) ?? name;
    const compared = whole + (signs.get(sign) ?? '');
    const given = isList.test(compared) ? JSON.stringify(value.split(',')) : value;
    // A sign that a filter of the API does not have is for the API to refuse.
    if (names.has(whole) || whole.startsWith('authorization[')) return [compared, moment(given)];
    if (whole.startsWith('attributes[')) return [compared, given];
    const [, attribute, comparison] = /^(.*?)((?:\[\w+\])?)$/.exec(compared);
    return [`attributes[${attribute}]${comparison}`, given];
  }) };
}

/// Filters with several values, which the search box separates by commas.
const isList = /\[(all|any|none|in)\]$/;

/// A day as the moment at which it begins; anything else as it is.
const moment = (value) => /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : value;

/// A filter in words, as `Language: German (de)`.
function words(name, value) {
  const label = name.replace(/^attributes\[(.*?)\](?=\[|$)/, '$1').replace(/^user$/, 'person').replaceAll('_', ' ')
    .replace('[gte]', ' from').replace('[gt]', ' above').replace('[lte]', ' up to').replace('[lt]', ' before')
    .replace(/\[(\w+)\]$/, ' $1');
  const shown = name === 'language' ? `${languageName(value)} (${value})`
    : isList.test(name) ? value.replace(/["[\]]/g, '').replaceAll(',', ', ')
    : value.length > 16 && name !== 'user' ? `${value.slice(0, 10)}…` : value;
  return `${label[0].toUpperCase()}${label.slice(1)}: ${shown}`;
}

export default async function devices(page) {
  const { app, rest, signal } = page;
  if (rest.length > 0) {
    const module = await import('./device.js');
    return rest[0] === 'token' ? module.token(page) : module.default(page);
  }
  const query = new URLSearchParams([...page.query].filter(([, value]) => value));
  const filters = () => [...query].filter(([name]) => name !== 'sort');
  const chips = h('ul', { class: 'badges', 'aria-label': 'Filters' });
  const area = h('div', { class: 'devices' });
  let leaving = new AbortController();

  const choice = (name, options) => select([['', 'any'], ...options], '', { name });
  const input = (name, attributes) => h('input', { name, ...attributes });
  const onchange = ({ target }) => change([[target.name, moment(target.value.trim())]]);
  const controls = h('form', { class: 'device-filters', onchange, onsubmit: (event) => event.preventDefault() },
    field('Token', choice('status', ['active', 'quarantined', 'invalid'])),
    field('Kind of token', choice('credential', [['apns', 'for notifications'], ['voip', 'for calls (VoIP)']])),
    field('Platform', choice('platform', Object.entries(platforms))),
    field('Environment', choice('environment', ['production', 'sandbox'])),
    field('App version', input('app_version', { placeholder: '3.2.0' })),
    field('System version', input('os_version', { placeholder: '18.1' })),
    field('Seen since', input('seen_since', { type: 'date' })),
    field('Seen before', input('seen_until', { type: 'date' })));
  const order = select([['-last_seen_at', 'Seen last'], ['last_seen_at', 'Seen first'], ['-created_at', 'Newest'],
    ['created_at', 'Oldest'], ['-registered_at', 'Newest token'], ['registered_at', 'Oldest token']],
  '', { name: 'sort', onchange });

  const search = h('input', { type: 'search', spellcheck: 'false', 'aria-describedby': 'find-hint' });
  const finder = h('form', { class: 'filters', role: 'search', onsubmit: (event) => {
    event.preventDefault();
    const { id, filters } = understood(search.value);
    if (id) return go(link([app, 'devices', id]));
    search.value = '';
    const isNew = filters.length === 1 && ['token', 'user'].includes(filters[0][0]);
    change(isNew ? [...[...query].map(([name]) => [name, '']), ...filters] : filters);
  } }, h('div', { class: 'wide' }, field('Find devices', search)), h('button', { class: 'button primary' }, 'Find'),
  field('Order', order),
  h('p', { class: 'hint', id: 'find-hint' }, 'A person, a device token, an installation id; or filters, as ',
    h('code', {}, 'language:fr tag:beta plan:pro app_version>=3.2')));

  /// Sets filters, removes those without a value, and shows the list anew.
  function change(pairs) {
    for (const [name, value] of pairs) if (value) query.set(name, value); else query.delete(name);
    note(link([app, 'devices'], query));
    return show();
  }

  function remove(pairs) {
    search.focus();
    change(pairs.map(([name]) => [name, '']));
  }

  async function show() {
    leaving.abort();
    leaving = new AbortController();
    const own = AbortSignal.any([signal, leaving.signal]);
    order.value = query.get('sort') ?? '-last_seen_at';
    for (const control of controls.elements) {
      const value = query.get(control.name) ?? '';
      control.value = control.type === 'date' ? value.slice(0, 10) : value;
    }
    chips.hidden = filters().length === 0;
    chips.replaceChildren(...filters().map(([name, value]) => h('li', {},
      button([words(name, value), h('span', { 'aria-hidden': true }, '✕')], () => remove([[name]]), 'small',
        { 'aria-label': `Remove ${words(name, value)}` }))));
    area.setAttribute('aria-busy', true);
    const elements = await list(own);
    if (own.aborted) return;
    area.removeAttribute('aria-busy');
    area.replaceChildren(...elements);
  }

  async function list(own) {
    const rows = table('Devices', columns(app));
    const seen = [];
    const none = filters().length === 0
      ? empty('No device has registered yet.', h('p', {}, 'The app needs a client key, which you make under Keys.'))
      : empty('No device fits.', h('p', {}, 'The history of a deleted device is still found by its installation id.'),
        button('Remove all filters', () => remove(filters())));
    const load = pages(['apps', app, 'installations'], { sort: order.value, ...Object.fromEntries(query) }, own);
    const more = endless(load, (items) => { seen.push(...items); rows.add(items); }, { none, one: 'device' });
    const body = h('section', { class: 'panel', 'aria-label': 'Devices' }, rows, more);
    await more.start();
    const user = query.get('user');
    return user ? [person(app, user, seen, () => signal.aborted || show()), body] : [body];
  }

  const save = (text, type, end) => button(text, () =>
    download(['apps', app, 'installations'], query, type, `${app}-devices.${end}`).catch(complain));

  await show();
  return [
    heading('Devices', null, save('Export as CSV', 'text/csv', 'csv'),
      save('NDJSON', 'application/x-ndjson', 'ndjson')),
    finder, controls, chips, area,
  ];
}

const complain = (error) => toast(error.message, { kind: 'bad' });

const columns = (app) => [
  { name: 'Device', cell: ({ installation_id: id, device_model: model, platform }) =>
    h('a', { href: link([app, 'devices', id]), dir: 'ltr' }, model ?? platforms[platform] ?? platform, ' ', h('code', {}, id.slice(0, 8))) },
  { name: 'Person', cell: ({ user }) =>
    user && h('a', { href: link([app, 'devices'], { user: user.id }) }, h('bdi', {}, user.id)) },
  { name: 'Languages', cell: ({ languages, language_override: chosen }) => [
    chosen && [badge(chosen), ' chosen; '],
    h('span', { dir: 'ltr', title: languages.map(languageName).join(', ') }, languages.slice(0, 3).join(' '),
      languages.length > 3 && ' …'),
  ] },
  { name: 'App', cell: ({ app_version: version, app_build: build }) =>
    [version ?? '–', build && h('span', { class: 'quiet' }, ` (${build})`)] },
  { name: 'System', cell: ({ platform, os_version: version }) => h('span', { dir: 'ltr' }, platforms[platform] ?? platform, ' ', version) },
  { name: 'Token', cell: ({ credentials: { apns, voip }, environment, authorization }) => h('div', { class: 'badges' },
    apns ? status(apns.status) : badge('no token'), voip && ['VoIP ', status(voip.status)],
    environment === 'sandbox' && badge('sandbox'), authorization?.status === 'denied' && badge('denied', 'warn')) },
  { name: 'Last seen', cell: ({ last_seen_at: at }) => time(at) },
];

/// What can be done for a person on all devices at once.
function person(app, user, devices, changed) {
  const path = ['apps', app, 'users', user];
  const chosen = devices.find((device) => device.language_override)?.language_override;
  const known = [...new Set(devices.flatMap((device) => device.languages))];
  const name = h('output', { class: 'hint' }, chosen ? languageName(chosen) : 'The devices decide.');
  const input = h('input', { required: true, autocomplete: 'off', maxlength: 58, placeholder: 'fr', value: chosen ?? '',
    list: 'known-languages', oninput: () => { name.value = languageName(input.value); } });

  async function choose(language) {
    try {
      const response = await call('PUT', [...path, 'language'], { body: { language } });
      const where = count((await response.json()).installations, 'device');
      toast(language ? `${languageName(language)} is set on ${where}.` : `No language is set any more on ${where}.`);
      changed();
    } catch (error) { complain(error); }
  }

  async function erase() {
    if (!await confirm('Erase this person?', 'The devices of this person, their history, their reported failures '
      + 'and the chosen language are deleted. This cannot be undone.', 'Erase', user)) return;
    later('The person is erased in a moment.', async () => {
      const { installations, tokens } = await (await call('DELETE', path)).json();
      toast(`Erased: ${count(installations, 'device')}, ${count(tokens, 'token')}.`);
      changed();
    });
  }

  return panel(['Person ', h('bdi', {}, user)],
    h('form', { class: 'filters', onsubmit: (event) => { event.preventDefault(); choose(input.value.trim()); } },
      field('Language on all devices', input), name,
      h('datalist', { id: 'known-languages' }, known.map((tag) => h('option', { value: tag }, languageName(tag)))),
      h('button', { class: 'button' }, 'Set'),
      chosen && button('Let the devices decide', () => choose(null)), h('span', { class: 'spring' }),
      button('Erase this person…', erase, 'danger')));
}
