// What admin and root keys did, and what sender keys exported or deleted.

import { all, pages, session } from './api.js';
import { h, moment } from './dom.js';
import { filter, filtered, period, saving } from './filters.js';
import { link } from './route.js';
import { badge, empty, endless, heading, panel, select, table } from './ui.js';

const scopes = [['', 'This app'], ['all', 'All apps']];
const verbs = { get: 'Read', put: 'Store', patch: 'Change', create: 'Make', summarize: 'Sum up' };

/// `closeFeedbackBreaker` → `Close feedback breaker`.
function inWords(operation) {
  const [verb, ...nouns] = operation.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(' ');
  return [verbs[verb] ?? verb[0].toUpperCase() + verb.slice(1), ...nouns].join(' ');
}

export default async function audit({ app, query, signal }) {
  const keys = await all(['apps', app, 'keys'], {}, signal);
  if (session.isRoot) keys.push(...await all(['keys'], {}, signal));
  const callers = keys.filter(({ kind }) => kind !== 'client')
    .map(({ id, kind, label }) => [id, `${label} (${kind})`]);
  const seen = new Set();
  const operations = h('datalist', { id: 'operations' });
  const parts = (scope) => scope ? ['audit'] : ['apps', app, 'audit'];
  const save = h('span');

  async function show({ scope, ...values }, signal) {
    save.replaceChildren(saving('Export CSV', parts(scope), () => values, 'audit.csv'));
    const calls = table('Calls', [
      { name: 'When', cell: ({ at }) => h('time', { datetime: at }, moment(at)) },
      ...scope ? [{ name: 'App', cell: (row) => row.app }] : [],
      { name: 'Key', cell: (row) => [h('span', { dir: 'auto' }, row.key_label), ' ', badge(row.key_kind)] },
      { name: 'Operation', cell: ({ operation }) => h('span', { title: operation }, inWords(operation)) },
      { name: 'On', cell: ({ app, operation, target }) => !target ? undefined
        : app && /(put|get|patch)Installation/.test(operation)
          ? h('a', { href: link([app, 'devices', target]) }, h('code', {}, target)) : h('code', {}, target) },
      { name: 'From', cell: ({ client }) => client && h('code', {}, client) },
      { name: 'Status', cell: ({ status }) => badge(status, status < 300 ? 'good' : status < 500 ? 'warn' : 'bad') },
    ]);
    const more = endless(pages(parts(scope), values, signal), (items) => {
      calls.add(items);
      for (const { operation } of items) seen.add(operation);
      operations.replaceChildren(...[...seen].sort().map((operation) => h('option', { value: operation })));
    }, { one: 'call', none: empty('No call fits.', h('p', {}, 'Choose a longer period, or clear a filter.')) });
    const shown = panel('Calls', calls, more);
    await more.start();
    return [shown];
  }

  return [
    heading('Audit log', 'Every call with an admin or root key, also if it was refused or came from this console. Of calls with a sender key, exports and deletions.', save),
    operations,
    ...await filtered([app, 'audit'], [...period(query),
      ...session.isRoot ? [['Apps', select(scopes, query.get('scope'), { name: 'scope' })]] : [],
      ['Key', select([['', 'All'], ...callers], query.get('key_id'), { name: 'key_id' })],
      ['Operation', filter(query, 'operation', { list: 'operations', placeholder: 'deleteMessage' })],
      ['Status', filter(query, 'status', { type: 'number', min: 100, max: 599, placeholder: '403' })],
    ], show, signal),
  ];
}
