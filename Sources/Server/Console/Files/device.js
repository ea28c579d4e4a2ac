// The page of a device: its state, what happened to it, and what a message would become on it.

import { all, asCurl, call, get, post } from './api.js';
import { debounce, h, languageName, number, platforms, pretty, time, tokens } from './dom.js';
import { meaning } from './meanings.js';
import { notification, writers } from './notification.js';
import { go, link, note } from './route.js';
import {
  action, badge, button, code, confirm, copy, empty, facts, failure, field, heading, later, notice, panel, prose, select,
  status,
} from './ui.js';

// MARK: What happened

/// The words and the colour of what happens to tokens and registrations.
const events = {
  registered: ['A token came', 'good'],
  rotated: ['A new token came in the place of the last one'],
  replaced: ['The token was replaced'],
  moved: ['The token came from another device'],
  left: ['The token went to another device', 'warn'],
  revived: ['The app brought the token again: it works', 'good'],
  restored: ['The refusal was undone: the token works', 'good'],
  quarantined: ['APNs called the token bad: it rests until the app brings it again', 'warn'],
  invalidated: ['APNs refused the token: it is not used any more', 'bad'],
  removed: ['The token was given up', 'warn'],
  apns: ['APNs gave the app no token', 'bad'],
  voip: ['PushKit gave the app no token', 'bad'],
  authorization: ['The question for permission failed', 'bad'],
};

const reasons = {
  Unregistered: 'The app was deleted from the device.',
  ExpiredToken: 'The token is too old.',
  BadDeviceToken: 'Most often the sender uses the wrong environment.',
  DeviceTokenNotForTopic: 'The token is of another app.',
  credential_deleted: 'A call deleted it.',
  credential_cleared: 'The app said that it has none.',
  installation_deleted: 'The device was deleted.',
  environment_changed: 'The app went to another environment of APNs.',
  stale: 'The device was not seen for long.',
  continued: 'It was moved in, and the app has reported for the first time: its person came along.',
};

const explained = (reason) => [h('code', {}, reason), ' ', reasons[reason]];
const short = (href, text) => h('a', { href }, h('code', {}, text.slice(0, 8)));

/// What happened, newest first: events of tokens and failures. `id` is the device of the page.
function timeline(app, items, id) {
  const entry = ({ at, occurred_at: failed, event, kind, error, explanation, token, source, reason, environment,
    installation_id: owner, from_installation_id: last }) => {
    const [words, colour] = events[error ? kind : id && last === id ? 'left' : event] ?? [event];
    const device = (word, other) =>
      other && other !== id && [` · ${word} `, short(link([app, 'devices', other]), other)];
    return h('li', { class: colour },
      h('p', {}, h('strong', {}, words), ' ', h('span', { class: 'quiet' }, time(at ?? failed))),
      h('p', { class: 'quiet' }, error
        ? [h('code', {}, `${error.domain} ${error.code}`), ' ',
          prose(explanation ? `${explanation.cause} ${explanation.cure}` : error.message)]
        : [kind === 'voip' && 'for calls · ', environment, ` · by ${source}`,
          id && [' · ', short(link([app, 'devices', 'token', token]), token)],
          device('from', last), device('on', owner), reason && [h('br'), explained(reason)]]));
  };
  return panel('What happened', items.length > 0 ? h('ol', { class: 'timeline' }, items.map(entry))
    : h('p', { class: 'quiet' }, 'Nothing: a token never came, and no failure was reported.'));
}

/// The timeline of a device, of its tokens and of what its app reported as failed.
async function story(app, id, signal) {
  const [events, failures] = await Promise.all([
    all(['apps', app, 'installations', id, 'history'], {}, signal),
    all(['apps', app, 'failures'], { installation_id: id }, signal),
  ]);
  const at = (item) => Date.parse(item.at ?? item.occurred_at);
  return timeline(app, [...events, ...failures].sort((one, other) => at(other) - at(one)), id);
}

/// Where a token was.
export async function token({ app, rest: [, token], signal }) {
  return [
    heading('Token', h('code', { dir: 'ltr' }, token), copy(token),
      action('Devices with it', link([app, 'devices'], { token }))),
    timeline(app, await all(['apps', app, 'tokens', token, 'history'], {}, signal)),
  ];
}

// MARK: The page

export default async function page({ app, record, rest: [id], query, signal }) {
  const path = ['apps', app, 'installations', id];
  const isMissing = (error) => { if (error.status !== 404) throw error; };
  const device = await get(path, {}, signal).catch(isMissing);
  const happened = await story(app, id, signal).catch(isMissing);
  if (!device) {
    return [
      heading('This device is not registered', h('code', { dir: 'ltr' }, id),
        action('All devices', link([app, 'devices']))),
      happened ?? empty('It never was.', h('p', {}, 'Is the id of another app, or cut off?')),
    ];
  }
  const messages = await all(['apps', app, 'messages'], {}, signal);

  async function erase() {
    const warning = 'Its tokens are given up, its history stays. The app may register it again.';
    if (!await confirm('Erase this device?', warning, 'Erase')) return;
    later('The device is erased in a moment.', async () => {
      await call('DELETE', path);
      if (!signal.aborted) go(link([app, 'devices']));
    });
  }

  const { user, credentials, device_model: model, platform } = device;
  return [
    heading(model ?? platform, [
      user && ['Person ', h('a', { href: link([app, 'devices'], { user: user.id }) }, h('bdi', {}, user.id)), ' · '],
      'seen ', time(device.last_seen_at), ' · ', h('code', { dir: 'ltr' }, id), ' ',
      credentials.apns ? status(credentials.apns.status) : badge('no token'),
    ], copy(id, 'Copy the id'), button('Erase…', erase, 'danger')),
    h('div', { class: 'columns' }, profile(app, device),
      h('div', { class: 'stack' }, tokens(credentials).map((one) => credential(app, one)), happened)),
    trial({ app, record, id, query, messages, signal }),
  ];
}

const kinds = {
  apns: 'Token for notifications',
  voip: 'Token for calls (VoIP)',
  widgets: 'Token for widgets',
  location: 'Token for location',
  push_to_talk: 'Token for Push to Talk',
  file_provider: 'Token for File Provider',
  complication: 'Token for complications',
  nowplaying_start: 'Token that starts Now Playing',
  live_activity_start: 'Token that starts Live Activities',
  live_activities: 'Live Activity',
  controls: 'Control',
  nowplaying: 'Session of Now Playing',
};

const credential = (app, { kind, names, token, type, joined, environment, status: word,
  registered_at: registered, invalidated_at: refused, reason }) =>
  panel([kinds[kind] ?? kind, ...names].join(' · '), code(token), facts([
    type && ['Type', type], joined === false && ['Channel', 'the person takes part in none'],
    environment && ['Environment', environment],
    ['Status', status(word), ' ', h('a', { href: link([app, 'devices', 'token', token]) }, 'its history')],
    ['Registered', time(registered)], refused && ['Refused', time(refused)], reason && ['Reason', explained(reason)],
  ]));

const named = (tag) => `${languageName(tag)} (${tag})`;

function profile(app, device) {
  const { authorization, attributes, language_override: chosen } = device;
  const switches = Object.entries(authorization ?? {}).filter(([, value]) => typeof value === 'boolean')
    .map(([name, isOn]) => `${isOn ? '' : 'no '}${name.replaceAll('_', ' ')}`);
  const badges = (pairs) => h('span', { class: 'badges' }, pairs.map(([name, value, text = value]) =>
    h('a', { class: 'badge', href: link([app, 'devices'], { [name]: value }) }, text)));
  return panel('Profile', facts([
    ['Languages', chosen && `${named(chosen)} was chosen for the person. `, device.languages.map(named).join(', ')],
    device.locale && ['Region', device.locale, device.time_zone && `, ${device.time_zone}`],
    ['App', device.app_version ?? 'unknown', ` (${device.app_build ?? 'no build'}) · ${device.environment}`],
    ['System', `${platforms[device.platform] ?? device.platform} ${device.os_version ?? ''}`],
    ['Notifications', [authorization?.status.replace('_', ' ') ?? 'not reported', ...switches].join(', ')],
    ['Background refresh', device.background_refresh ?? 'not reported'],
    device.live_activities_allowed !== null && ['Live Activities', `${device.live_activities_allowed ? 'allowed' : 'not allowed'}${device.frequent_pushes ? ', often updated' : ''}`],
    device.bundle_id && ['Bundle id', device.bundle_id],
    ['Who writes the text', Object.fromEntries(writers)[device.localization] ?? device.localization],
    ['The app can', device.capabilities.map((name) => name === 'loc-key' ? 'look up keys' : name).join(', ') || '–'],
    device.tags.length > 0 && ['Tags', badges(device.tags.map((tag) => ['tag', tag]))],
    attributes && ['Attributes', badges(Object.entries(attributes).map(([name, value]) =>
      [`attributes[${name}]`, value, `${name}: ${value}`]))],
    ['First seen', time(device.created_at)],
  ]));
}

// MARK: What it would get

/// Why the device does not write the text itself, to go on after `because`.
const because = {
  voip_credential: 'it goes to a token for calls',
  withdrawal: 'the message withdraws another',
  requested_local: 'a local notification is asked for',
  message_trigger: 'the message says when it is shown',
  background_refresh_off: 'silent pushes do not wake the app',
  system_before_10: 'the system is older than iOS 10',
  declared_local: 'the app makes local notifications',
  no_text: 'the message has no text',
  requested_server: 'finished text is asked for',
  device_prefers_server: 'the app wants finished text',
  language_overridden: 'a language was chosen for the person',
  literal_text: 'the message brings its own text',
  server_catalog: 'a text is in the catalog of the service',
  no_loc_key_capability: 'the app did not say that it has texts',
  os_unknown: 'the version of the system is unknown',
  os_too_old: 'the system is too old for keys',
  table_not_localizable: 'a key is in another table',
  no_catalog_for_build: 'there is no catalog of the build',
  fallback_language: 'the message wants another language here',
  key_not_in_build: 'the build lacks a key or its text',
  uncertain_entry: 'a text in the catalog is not finished',
  plural_entry: 'a text varies by number or device',
  inline_markup: 'a text has markup, which a device would show',
  unsupported_specifier: 'a text has other placeholders than %@',
  argument_count: 'a text wants more arguments',
  argument_not_text: 'an argument is not a text',
  arguments_too_long: 'keys and arguments are too long',
  unverified_keys: 'keys are asked for, though no catalog has them',
  client_possible: 'the app on the device has all the texts',
};

const modes = {
  client: 'The device writes the text', server: 'The service writes the text',
  local: 'The app makes a local notification', voip: 'The app gets a call',
};

/// What to do when a device would get nothing.
const cures = {
  no_usable_credential: 'There is no active token of this kind. The app brings one when it starts.',
  denied: 'The person has turned notifications off in the settings of the device.',
  nothing_to_show: 'No text of the message is in a catalog. The preview of the message shows which key is missing.',
};

const numeric = { type: 'number', step: 'any' };
const date = { type: 'datetime-local' };
const inputs = { integer: { type: 'number' }, decimal: numeric, percent: numeric, currency: numeric, duration: numeric,
  date, relative_date: date };
const hints = { percent: '0.25 is 25%', duration: 'In seconds', list: 'With commas between' };

/// What was typed, as a value of the parameter's type.
function argument(type, text) {
  if (inputs[type] === date) return new Date(text).toISOString();
  if (inputs[type]) return Number(text);
  return type === 'list' ? text.split(',').map((item) => item.trim()) : text;
}

function trial({ app, record, id, query: state, messages, signal }) {
  const said = h('p', { role: 'status' });
  const result = h('div', { class: 'columns' });
  const values = h('div', { class: 'filters inputs' });
  let asking = new AbortController();

  function set(name, value) {
    if (value) state.set(name, value); else state.delete(name);
    note(link([app, 'devices', id], state));
    if (name === 'message') drawValues();
    ask();
  }

  const choice = (label, name, options, attributes) => field(label,
    select(options, state.get(name), { onchange: ({ target }) => set(name, target.value), ...attributes }));
  const parameters = () =>
    Object.entries(messages.find(({ name }) => name === state.get('message'))?.message.parameters ?? {});

  function drawValues() {
    values.replaceChildren(...parameters().map(([name, { type, default: standard }]) => field(name, h('input', {
      ...inputs[type], dir: 'auto', value: state.get(`arg.${name}`) ?? '', placeholder: standard,
      oninput: ({ target }) => set(`arg.${name}`, target.value),
    }), hints[type])));
  }

  async function show() {
    asking.abort();
    asking = new AbortController();
    const own = AbortSignal.any([signal, asking.signal]);
    const declared = parameters();
    const given = declared.filter(([name]) => state.get(`arg.${name}`));
    const missing = declared.filter((pair) => !given.includes(pair) && (pair[1].default ?? null) === null && !pair[1].from)
      .map(([name]) => name).join(', ');
    if (!state.get('message') || missing) {
      result.replaceChildren();
      said.textContent = missing ? `Fill in ${missing}.` : 'Choose a message.';
      return;
    }
    try {
      const question = {
        message: state.get('message'), to: { installation: id }, explain: true,
        arguments: Object.fromEntries(given.map(([name, { type }]) =>
          [name, argument(type, state.get(`arg.${name}`))])),
        localization: state.get('localization'), credential: state.get('credential'),
        include_denied: state.has('include_denied'),
      };
      const answer = await post(['apps', app, 'render'], question, {}, own);
      const { language: { preferred, available }, mode, tests } = answer.explain;
      const matches = await Promise.all(preferred.map((tag) =>
        post(['languages', 'match'], { preferred: [tag], available }, {}, own)));
      const { saw } = tests.find((test) => !test.passed) ?? {};
      said.textContent = `${modes[answer.mode]}, because ${because[mode] ?? mode}${saw ? ` (${saw})` : ''}.`;
      result.replaceChildren(...drawn(answer, record.name, matches.map(({ chosen }) => chosen[0]),
        copy(() => asCurl('POST', ['apps', app, 'render'], question), 'Copy as curl')));
    } catch (error) {
      if (error.name === 'AbortError') return;
      said.textContent = 'It would get nothing.';
      result.replaceChildren(cures[error.code] ? notice('bad', cures[error.code], error.code === 'denied'
        ? button('Show it all the same', () => set('include_denied', 1)) : '') : failure(error));
    }
  }

  const ask = debounce(200, show);
  drawValues();
  ask();
  return panel('What would it get, and why?', messages.length === 0
    ? empty('There is no message yet.', action('Write a message', link([app, 'messages']))) : [
      h('div', { class: 'filters' },
        choice('Message', 'message', [['', 'Choose'], ...messages.map(({ name }) => name)],
          { 'aria-keyshortcuts': '/' }),
        choice('Who writes the text', 'localization', writers),
        choice('Token', 'credential', [['', 'for notifications'], ['voip', 'for calls (VoIP)']])),
      values, said, result,
    ]);
}

/// An answer, drawn and explained. `matches` are the localizations for each of the wished languages.
function drawn({ payload, payload_bytes: bytes, headers, mode, language, problems, explain }, app, matches, curl) {
  const { alert } = (Object.values(payload).find((value) => value?.aps) ?? payload).aps;
  const texts = typeof alert === 'string' ? { body: alert } : alert ?? {};
  const isBare = texts['loc-key'] && !texts.body;
  const { preferred, available, chosen } = explain.language;
  const first = matches.findIndex(Boolean);
  return [
    h('div', { class: 'stack' },
      notification({ app, language, mode, title: texts.title ?? texts['title-loc-key'],
        subtitle: texts.subtitle ?? texts['subtitle-loc-key'], body: texts.body ?? texts['loc-key'] }),
      isBare && h('p', {}, 'The app puts its own text in the place of the keys',
        language && `, in ${languageName(language)}`, '.'),
      problems.length > 0 && notice('warn', h('ul', {}, problems.map((problem) => h('li', {}, meaning(problem))))),
      h('h3', {}, chosen ? `The language is ${languageName(chosen)}` : 'No language is there'),
      h('ol', { class: 'wishes' }, preferred.map((tag, index) =>
        h('li', { class: matches[first] && index > first && 'quiet' },
          `${named(tag)} – ${matches[index] ? `there is ${matches[index]}` : 'not there'}`))),
      h('p', { class: 'quiet' }, first < 0 ? 'None of these is there, so another stands in.'
        : 'The first that is there counts.', ` The app has ${available.join(', ') || 'none'}.`)),
    h('div', { class: 'stack' },
      h('details', {}, h('summary', {}, 'All tests'), h('div', { class: 'table' }, h('table', {},
        h('thead', {}, h('tr', {}, ['Against keys', 'Holds', 'Seen'].map((name) =>
          h('th', { scope: 'col' }, name)))),
        h('tbody', {}, explain.tests.map(({ test, passed, saw }) => h('tr', {}, [because[test] ?? test,
          passed ? 'no' : badge('yes', 'warn'), h('code', {}, saw)].map((cell) => h('td', {}, cell)))))))),
      h('h3', {}, `Payload, ${number(bytes)} of ${number(mode === 'voip' ? 5120 : 4096)} bytes`), code(pretty(payload)),
      h('h3', {}, 'Header fields'), code(pretty(headers)), h('div', { class: 'actions' }, curl)),
  ];
}
