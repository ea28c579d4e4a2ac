// The keys of the app, and the root keys.

import { all, asCurl, call, post, session } from './api.js';
import { h, time } from './dom.js';
import { badge, button, code, confirm, dialog, empty, failure, field, heading, notice, panel, select, table, toast }
  from './ui.js';

const lockout = 'People and tools with this key are locked out; if you signed in with it, so are you.';

/// What a key of a kind may do, and what its end means.
const kinds = {
  client: ['Ships inside the app; registers its own device and reports failures.',
    'Installed apps with this key can no longer register, until they are updated.'],
  sender: ['For the backend; renders notifications, reads devices, reports what APNs answered.',
    'The backend with this key can no longer render or report.'],
  admin: ['For people and tools; everything of this app.', lockout],
  root: ['For operators; everything of all apps.', lockout],
};

export default async function keys({ app, signal }) {
  return [
    heading('Keys', 'Each key is shown once, when it is made; the service keeps only its hash.'),
    await keysPanel('Keys of this app', ['apps', app, 'keys'], app, ['client', 'sender', 'admin'], signal),
    session.isRoot && await keysPanel('Root keys', ['keys'], app, ['root'], signal),
  ].filter(Boolean);
}

async function keysPanel(title, parts, app, choice, signal) {
  const list = h('div');
  const make = button(choice[1] ? 'New key' : 'New root key', async () => {
    if (await newKey(parts, app, choice)) await fill();
  }, 'primary');

  async function fill() {
    const keys = await all(parts, {}, signal);
    list.replaceChildren(keys.length === 0
      ? empty('There is no key yet.', h('p', {}, 'Begin with a client key for the app.')) : table(title, [
        { name: 'Label', cell: ({ label }) => label && h('span', { dir: 'auto' }, label) },
        { name: 'Kind', cell: ({ kind }) => [badge(kind), ' ', h('span', { class: 'quiet' }, kinds[kind][0])] },
        { name: 'Made', cell: (key) => time(key.created_at) },
        { name: 'Last used', cell: (key) => key.last_used_at ? time(key.last_used_at) : 'never' },
        { name: 'State', cell: (key) => key.revoked_at ? [badge('revoked', 'bad'), ' ', time(key.revoked_at)]
          : button('Revoke', () => revoke(key), 'danger small', { 'aria-label': `Revoke ${key.label || key.kind}` }) },
      ], keys));
  }

  async function revoke({ id, kind, label }) {
    const word = kind === 'admin' || kind === 'root' ? label || kind : undefined;
    if (!await confirm(`Revoke ${label || `this ${kind} key`}?`,
      `${kinds[kind][1]} It happens at once and cannot be undone.`, 'Revoke', word)) return;
    try {
      await call('DELETE', [...parts, id]);
      toast('The key is revoked.');
      await fill();
      make.focus();
    } catch (error) { toast(error.message, { kind: 'bad' }); }
  }

  await fill();
  return panel(title, list, h('div', { class: 'actions' }, make));
}

/// Asks for kind and label, makes the key and shows it; gives whether one was made.
async function newKey(parts, app, choice) {
  const made = await dialog('New key', (close) => {
    const kind = select(choice, choice[0], { onchange: () => { about.textContent = kinds[kind.value][0]; } });
    const about = h('p', { class: 'hint', role: 'status' }, kinds[choice[0]][0]);
    const label = h('input', { maxlength: 128, required: true, autocomplete: 'off' });
    const said = h('div');
    return h('form', { onsubmit: async (event) => {
      event.preventDefault();
      try {
        close(await post(parts, { label: label.value, ...choice[1] ? { kind: kind.value } : {} }));
      } catch (error) { said.replaceChildren(failure(error)); }
    } }, choice[1] && field('Kind', kind), about,
    field('Label', label, 'Says later which key to revoke, such as “order service”.'), said,
    h('div', { class: 'actions' }, button('Cancel', () => close()), h('button', { class: 'button primary' }, 'Make')));
  });
  if (made) {
    await dialog(`The ${made.kind} key ${made.label}`, (close) => [
      notice('warn', h('p', {}, 'Copy the key now: it is never shown again. ', made.kind === 'client'
        ? 'It ships in every copy of the app and is no secret.' : 'Keep it with your secrets, not in source code.')),
      code(made.key, 'Copy the key'), code(snippet(made, app)),
      h('div', { class: 'actions' }, button('I have stored it', () => close(), 'primary')),
    ]);
  }
  return Boolean(made);
}

/// The first use of a key.
function snippet({ kind, key }, app) {
  if (kind === 'client') {
    return `PostilionConfiguration(\n  server: "${location.origin}", app: "${app}",\n  clientKey: "${key}")`;
  }
  return `export POSTILION_KEY='${key}'\n` + (kind === 'sender' ? asCurl('POST', ['apps', app, 'render'],
    { message: 'order_ready', arguments: { name: 'Zoé' }, to: { user: 'u42' } }) : asCurl('GET', ['apps']));
}
