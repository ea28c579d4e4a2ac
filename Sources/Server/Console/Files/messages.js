// The messages of an app.

import { pages } from './api.js';
import { newestCoverage, newestFirst } from './coverage.js';
import { h, pretty, time } from './dom.js';
import { example } from './message-form.js';
import { notification } from './notification.js';
import { link } from './route.js';
import { knownKeys, named } from './strings.js';
import { action, badge, code, empty, endless, heading, table } from './ui.js';

export default async function messages({ app, record, rest, query, signal }) {
  if (rest.length > 0 || query.has('new')) {
    const module = await import('./message.js');
    return module.default({ app, record, rest, query, signal });
  }
  // To count devices may take a while, and the messages are there without it.
  const coverage = newestCoverage(app, signal).catch(() => undefined);
  const keys = newestFirst(app, signal).then((catalogs) => knownKeys(app, catalogs, signal)).catch(() => []);
  const says = ({ name, message }) => {
    const slot = h('div');
    coverage.then((coverage) => slot.replaceChildren(
      ...coverage?.messages.filter(({ message }) => message === name).map(lack) ?? []));
    return [summary(message, keys), slot];
  };
  const fresh = () => action('New message', link([app, 'messages'], { new: 1 }), 'primary');
  const rows = table('Messages', [
    { name: 'Name', cell: ({ name }) => h('a', { href: link([app, 'messages', name]) }, name) },
    { name: 'Says', cell: says },
    { name: 'Version', numeric: true, cell: ({ version }) => version },
    { name: 'Changed', cell: ({ updated_at }) => time(updated_at) },
  ]);
  const none = empty('There is no message yet.',
    h('p', {}, 'A message says what a notification tells people, in every language, and how it is delivered. ',
      'Your backend names it and gives the values of its parameters. For example:'),
    h('div', { class: 'columns example' }, code(pretty(example)),
      notification({ app: record.name, title: 'Welcome', body: 'Bonjour Zoé !', language: 'fr' })),
    fresh());
  const list = endless(pages(['apps', app, 'messages'], {}, signal), (items) => {
    rows.hidden = false;
    rows.add(items);
  }, { none, one: 'message' });
  rows.hidden = true;
  await list.start();
  return [heading('Messages', 'What your notifications say, in every language.', fresh()), rows, list];
}

/// What the newest build does not have for a message.
const lack = ({ shows_nothing: isEmpty, detail }) => h('p', {}, badge(isEmpty ? 'nothing to show' : 'text missing',
  isEmpty ? 'bad' : 'warn'), ' ', detail);

/// The first text of a message: its body or title, for everybody or in a first language, or its key.
function summary({ alert, withdraws }, keys) {
  const text = typeof alert === 'string' ? alert : alert?.body ?? alert?.title ?? alert?.subtitle;
  if (!text) return h('span', { class: 'quiet' }, withdraws ? 'withdraws a notification' : 'silent');
  if (text.key) {
    const slot = h('span', { class: 'quiet' });
    keys.then((keys) => {
      const entry = keys.find(({ key, table }) => key === text.key && table === (text.table ?? 'Localizable'));
      if (entry) slot.append(h('span', { dir: 'auto' }, `“${named(entry.text, text.args)}”`));
    });
    return [h('code', { dir: 'ltr' }, typeof text.key === 'string' ? text.key : Object.values(text.key)[0]), ' ', slot];
  }
  const wording = text.text ?? text;
  if (typeof wording === 'string') return h('span', { dir: 'auto' }, wording);
  const language = 'en' in wording ? 'en' : Object.keys(wording)[0];
  return h('span', { lang: language, dir: 'auto' }, wording[language]);
}
