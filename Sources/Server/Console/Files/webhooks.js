// The webhooks of the app, and what was delivered to each.

import { all, call, get, pages, post } from './api.js';
import { count, h, moment, time } from './dom.js';
import { link } from './route.js';
import { action, badge, button, code, confirm, dialog, empty, endless, facts, failure, field, heading, notice, panel,
  select, table, toast } from './ui.js';

const events = ['registered', 'rotated', 'moved', 'revived', 'invalidated', 'quarantined', 'restored', 'removed', 'created',
  'updated', 'deleted', 'erased', 'failure_burst', 'breaker_opened', 'breaker_closed', 'build_without_catalog'];
const reasons = { gone: 'the receiver answered 410', failing: 'it took nothing for three days' };
const failures = { address: 'not a public address', connection: 'no connection', trust: 'certificate not trusted',
  timeout: 'took too long', transfer: 'broke off' };

export default async function webhooks({ app, rest, query, signal }) {
  return rest[0] ? one(app, rest[0], query, signal) : list(app, signal);
}

// MARK: All

async function list(app, signal) {
  const parts = ['apps', app, 'webhooks'];
  const shown = h('div');
  const make = button('New webhook', async () => {
    const made = await edit('New webhook', 'Make', {}, (body) => post(parts, body));
    if (!made) return;
    await showSecret(made);
    await fill();
  }, 'primary');

  async function fill() {
    const items = await all(parts, {}, signal);
    shown.replaceChildren(items.length === 0
      ? empty('There is no webhook yet.', h('p', {}, 'Postilion signs each change and sends it to your program, '
        + 'again and again until the program takes it.'))
      : table('Webhooks', [
        { name: 'Address', cell: (hook) => h('a', { href: link([app, 'webhooks', hook.id]), dir: 'ltr' }, hook.url) },
        { name: 'About', cell: ({ description }) => description && h('span', { dir: 'auto' }, description) },
        { name: 'Events', cell: (hook) => hook.events?.join(', ') ?? 'all' },
        { name: 'State', cell: stateOf },
        { name: 'Pending', numeric: true, cell: (hook) => hook.pending },
      ], items));
  }

  await fill();
  return [
    heading('Webhooks', 'Postilion tells your programs at once what changes in this app.', make),
    panel('Webhooks of this app', shown),
  ];
}

/// How a webhook stands, with the reason.
function stateOf({ state, failing_since: since, disabled_reason: reason }) {
  if (state === 'active') return badge('active', 'good');
  if (state === 'failing') return [badge('failing', 'warn'), ' since ', time(since)];
  return [badge('disabled', 'bad'), reason && ` ${reasons[reason]}`];
}

/// Asks for the fields of a webhook, and stores them; gives the answer.
function edit(title, verb, stored, store) {
  return dialog(title, (close) => {
    const url = h('input', { type: 'url', required: true, maxlength: 2048, autocomplete: 'off', value: stored.url ?? '',
      placeholder: 'https://hooks.example.com/postilion' });
    const about = h('input', { maxlength: 128, autocomplete: 'off', value: stored.description ?? '' });
    const wanted = h('input', { autocomplete: 'off', spellcheck: 'false', value: stored.events?.join(' ') ?? '', placeholder: 'all' });
    const said = h('div');
    return h('form', { onsubmit: async (event) => {
      event.preventDefault();
      const words = wanted.value.split(/[\s,]+/).filter(Boolean);
      try {
        close(await store({ url: url.value, description: about.value, events: words.length > 0 ? words : null }));
      } catch (error) { said.replaceChildren(failure(error)); }
    } }, field('Address', url, 'Begins with https://.'), field('About', about),
    field('Events', wanted, `All, or some of: ${events.join(', ')}.`), said,
    h('div', { class: 'actions' }, button('Cancel', () => close()), h('button', { class: 'button primary' }, verb)));
  });
}

const showSecret = (hook) => dialog('The secret', (close) => [
  notice('warn', h('p', {}, 'Copy the secret now: it is never shown again. The receiver verifies deliveries with it.')),
  code(hook.secret, 'Copy the secret'),
  h('div', { class: 'actions' }, button('I have stored it', () => close(), 'primary')),
]);

// MARK: One

async function one(app, id, query, signal) {
  const parts = ['apps', app, 'webhooks', id];
  const about = h('div');
  const deliveries = h('div');
  let hook = await get(parts, {}, signal);

  /// Does something, says how it went, and shows how things stand then.
  const doing = (body) => async () => {
    try {
      await body();
      hook = await get(parts, {}, signal);
      showFacts();
      await showDeliveries();
    } catch (error) { if (error.name !== 'AbortError') toast(error.message, { kind: 'bad' }); }
  };
  const patch = async (body) => (await call('PATCH', parts, { body })).json();

  function showFacts() {
    about.replaceChildren(facts([
      ['Address', h('span', { dir: 'ltr' }, hook.url)],
      ['State', stateOf(hook)],
      ['Events', hook.events?.join(', ') ?? 'all'],
      ['Pending', hook.pending],
      hook.previous_secret_until && ['Secret before', 'signs, too, until ', time(hook.previous_secret_until)],
      ['Made', time(hook.created_at)],
    ]), h('div', { class: 'actions' },
      button('Send test', doing(test)),
      button('Change', doing(() => edit('Change the webhook', 'Store', hook, patch))),
      button(hook.enabled ? 'Disable' : 'Enable', doing(async () => {
        await patch({ enabled: !hook.enabled });
        toast(hook.enabled ? 'The webhook is disabled, and keeps its place.' : 'The webhook gets what it missed.');
      })),
      button('New secret', doing(async () => {
        if (!await confirm('Give it a new secret?', 'For a day deliveries are signed with both.', 'New secret')) return;
        await showSecret(await post([...parts, 'secret'], {}));
      })),
      button('Skip what waits', doing(async () => {
        if (!await confirm('Skip what waits?', 'The receiver never gets it; it goes on with what happens now.', 'Skip')) return;
        await post([...parts, 'replay'], { after: 'now' });
        toast('What waited is skipped.');
      })),
      button('Delete', remove, 'danger')));
  }

  async function test() {
    const ended = await post([...parts, 'test']);
    toast(ended.state === 'delivered' ? `The receiver answered ${ended.status} after ${ended.duration_ms} ms.`
      : `The test failed: ${outcome(ended)}.`, { kind: ended.state === 'delivered' ? 'good' : 'bad' });
  }

  async function remove() {
    if (!await confirm('Delete the webhook?', 'It gets nothing more, and what is pending is dropped.', 'Delete')) return;
    try {
      await call('DELETE', parts);
      location.hash = link([app, 'webhooks']);
    } catch (error) { toast(error.message, { kind: 'bad' }); }
  }

  const chosen = select([['', 'All'], 'pending', 'delivered', 'failed'], query.get('state') ?? '',
    { onchange: () => doing(async () => {})() });

  async function showDeliveries() {
    const rows = table('Deliveries', [
      { name: 'Happened', cell: (row) => h('time', { datetime: row.happened_at }, moment(row.happened_at)) },
      { name: 'Event', cell: ({ event }) => event },
      { name: 'Installation', cell: ({ installation_id: name }) => name
        && h('a', { href: link([app, 'devices', name]) }, h('code', {}, name)) },
      { name: 'State', cell: ({ state }) => badge(state, { delivered: 'good', failed: 'bad' }[state] ?? 'warn') },
      { name: 'Last attempt', cell: (row) => row.last_attempt_at
        && [time(row.last_attempt_at), ` ${outcome(row)}`, row.duration_ms !== null && `, ${row.duration_ms} ms`] },
      { name: 'Attempts', numeric: true, cell: ({ attempts }) => attempts },
      { name: 'Next attempt', cell: (row) => row.next_attempt_at
        && h('time', { datetime: row.next_attempt_at }, moment(row.next_attempt_at)) },
      { name: 'Again', cell: (row) => row.event !== 'test' && button('Replay', doing(async () => {
        await post([...parts, 'replay'], { delivery_id: row.id });
        toast('It goes out again.');
      }), 'small', { 'aria-label': `Replay ${row.event} of ${moment(row.happened_at)}` }) },
    ]);
    const more = endless(pages([...parts, 'deliveries'], { state: chosen.value }, signal), (items) => rows.add(items),
      { one: 'delivery', many: 'deliveries', none: empty('There is no delivery.') });
    await more.start();
    deliveries.replaceChildren(rows, more);
  }

  showFacts();
  await showDeliveries();
  return [
    heading('Webhook', hook.description || count(hook.pending, 'pending delivery', 'pending deliveries'),
      action('All webhooks', link([app, 'webhooks']))),
    panel('How it stands', about),
    panel('Deliveries', field('State', chosen), deliveries),
  ];
}

/// How the last attempt ended, in words.
const outcome = ({ status, failure }) => status ? `answered ${status}` : failures[failure] ?? 'no answer';
