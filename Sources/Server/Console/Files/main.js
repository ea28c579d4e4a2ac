// Sign-in, the frame of all pages, and the way from an address to a page.

import { Failure, all, call, session } from './api.js';
import { h } from './dom.js';
import { go, link, replace, route } from './route.js';
import { action, button, dialog, failure, field, heading, select } from './ui.js';

const top = document.getElementById('top');
const nav = document.getElementById('nav');
const content = document.getElementById('content');

/// The pages of an app: address, name, key of the keyboard after `g`, module.
const pages = [
  ['overview', 'Overview', 'o'], ['devices', 'Devices', 'd'], ['messages', 'Messages', 'm'],
  ['catalogs', 'Catalogs', 'c'], ['failures', 'Failures', 'f'], ['feedback', 'Feedback', 'b'],
  ['webhooks', 'Webhooks', 'w'], ['keys', 'Keys', 'k'], ['audit', 'Audit log', 'a'], ['data', 'Import and export', 'i'],
];

let apps = [];
let leaving = new AbortController();

// MARK: Sign-in

function signInPage(reason) {
  nav.hidden = true;
  showTop();
  document.title = 'Sign in · Postilion';
  const key = h('input', { type: 'password', autocomplete: 'off', required: true, spellcheck: 'false',
    placeholder: 'pst_admin_…' });
  const said = h('div', {}, reason && failure(reason));
  const form = h('form', { class: 'panel narrow', onsubmit: async (event) => {
    event.preventDefault();
    try {
      await signIn(key.value.trim());
    } catch (error) {
      said.replaceChildren(failure(error));
      key.select();
    }
  } }, h('h1', {}, 'Postilion'), h('p', { class: 'quiet' },
    'Sign in with an admin key of an app, or with a root key. The key stays in this tab, until you close it.'),
  field('API key', key), said, h('div', { class: 'actions' }, h('button', { class: 'button primary' }, 'Sign in')));
  content.replaceChildren(form);
  key.focus();
}

/// The apps that a key sees; throws what is wrong with the key.
async function appsOf(key) {
  const kind = /^pst_(client|sender)_/.exec(key)?.[1];
  if (kind) {
    throw new Failure(403, { code: 'key_kind', detail: kind === 'client'
      ? 'This is a client key, which ships inside an app and reaches one installation at a time. Use an admin key.'
      : 'This is a sender key, which a backend renders with; it may not see people. Use an admin key.' });
  }
  try {
    return await all(['apps'], {}, undefined, key);
  } catch (error) {
    if (error.status !== 401) throw error;
    throw new Failure(401, { code: error.code,
      detail: 'The service does not know this key: it is misspelt, revoked, or of another service.' });
  }
}

async function signIn(key) {
  apps = await appsOf(key);
  session.key = key;
  return show();
}

const kindOf = (key) => key.startsWith('pst_root_') ? 'a root key' : 'an admin key';
const named = (apps) => apps.length === 1 ? [' of the app ', h('strong', { dir: 'auto' }, apps[0].name), ` (${apps[0].app})`] : '';

/// Whoever sends a link with a key wants to be worked for: nobody is signed in by it, or by another
/// key than before, unless the person says so.
async function offer(key) {
  let theirs;
  let wrong;
  try { theirs = await appsOf(key); } catch (error) { wrong = error; }
  if (wrong && !session.key) return signInPage(wrong);
  const takes = await dialog('Sign in by this link?', (close) => [
    wrong ? failure(wrong) : h('p', {}, 'The link holds ', kindOf(key), named(theirs),
      '. What you do from then on happens there. Take it only if you know where the link comes from.'),
    session.key ? h('p', {}, 'You are signed in with ', kindOf(session.key), named(apps), '.')
      : h('p', {}, 'You are not signed in.'),
    h('div', { class: 'actions' }, wrong ? '' : button('Use the key of the link', () => close(true)),
      button(session.key ? 'Stay signed in as now' : 'Do not sign in', () => close(false), 'primary', { autofocus: true })),
  ]);
  if (!takes) return;
  leaving.abort();
  apps = theirs;
  session.key = key;
  show();
}

function signOut(reason) {
  leaving.abort();
  session.key = null;
  apps = [];
  signInPage(reason);
}

addEventListener('signedout', (event) => {
  if (!session.key) return;
  signOut(new Failure(401, { detail: `You were signed out. ${event.detail.message}` }));
});

// MARK: The frame

const themes = [['', 'As the system'], ['light', 'Light'], ['dark', 'Dark']];
const directions = [['', 'As the browser'], ['ltr', 'Left to right'], ['rtl', 'Right to left']];

function applyLook() {
  const theme = localStorage.getItem('postilion.theme') ?? '';
  document.documentElement.dataset.theme = theme;
  const chosen = localStorage.getItem('postilion.direction');
  const isRightToLeft = /^(ar|fa|he|ur)\b/.test(navigator.language);
  document.documentElement.dir = chosen || (isRightToLeft ? 'rtl' : 'ltr');
}

function settings() {
  const store = (name) => (event) => { localStorage.setItem(name, event.currentTarget.value); applyLook(); };
  return dialog('Settings', (close) => [
    field('Colours', select(themes, localStorage.getItem('postilion.theme') ?? '', { onchange: store('postilion.theme') })),
    field('Direction', select(directions, localStorage.getItem('postilion.direction') ?? '', { onchange: store('postilion.direction') })),
    h('h3', {}, 'Keyboard'),
    h('table', { class: 'keys' }, h('tbody', {}, [['/', 'Search, or choose a message'], ['↑ ↓', 'From row to row'], ['?', 'This dialog'],
      ...pages.map(([, name, letter]) => [`g ${letter}`, name])].map(([keys, what]) =>
      h('tr', {}, h('td', {}, keys.split(' ').map((key) => h('kbd', {}, key))), h('td', {}, what))))),
    h('div', { class: 'actions' }, button('Close', close, 'primary')),
  ]);
}

function showTop(current) {
  top.replaceChildren(
    h('a', { class: 'brand', href: '#/', 'aria-label': 'Postilion' }, h('img', { src: '/console/icon.svg', alt: '', width: 24, height: 24 }), h('span', {}, 'Postilion')),
    apps.length > 0 && current ? select(apps.map((app) => [app.app, app.name]), current,
      { 'aria-label': 'App', onchange: (event) => go(link([event.currentTarget.value, 'overview'])) }) : '',
    h('span', { class: 'spring' }),
    h('a', { class: 'button plain', href: '/docs' }, 'API'),
    button('Settings', settings, 'plain'),
    session.key ? button('Sign out', () => signOut(), 'plain') : '');
}

function showNav(current, page) {
  nav.hidden = false;
  nav.replaceChildren(h('ul', {}, pages.map(([id, name]) =>
    h('li', {}, h('a', { href: link([current, id]), 'aria-current': id === page ? 'page' : null }, name)))));
  // On a phone the pages are a row that is wider than the screen.
  nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

// MARK: Pages

function appsPage() {
  nav.hidden = true;
  document.title = 'Apps · Postilion';
  return [heading('Apps', apps.length === 0 ? 'There is no app yet.' : null,
    session.isRoot ? button('New app', newApp, 'primary') : ''),
  h('ul', { class: 'cards' }, apps.map((app) => h('li', {}, h('a', { class: 'panel', href: link([app.app, 'overview']) },
    h('strong', {}, app.name), h('span', { class: 'quiet' }, app.bundle_id)))))];
}

async function newApp() {
  await dialog('New app', (close) => {
    const [name, id, bundle] = ['Food to go', 'food', 'com.example.food'].map((text) =>
      h('input', { required: true, placeholder: text, autocomplete: 'off' }));
    const said = h('div');
    return h('form', { onsubmit: async (event) => {
      event.preventDefault();
      try {
        await call('PUT', ['apps', id.value], { body: { name: name.value, bundle_id: bundle.value }, headers: { 'If-None-Match': '*' } });
        apps = await all(['apps']);
        close();
        go(link([id.value, 'overview']));
      } catch (error) { said.replaceChildren(failure(error)); }
    } }, field('Name', name), field('Short name', id, 'In addresses: lower-case letters, digits, hyphens.'),
    field('Bundle id', bundle), said,
    h('div', { class: 'actions' }, button('Cancel', close), h('button', { class: 'button primary' }, 'Make')));
  });
}

async function show() {
  leaving.abort();
  leaving = new AbortController();
  const { signal } = leaving;
  const { app, page, rest, query } = route();
  if (!session.key) return signInPage();
  const record = apps.find((record) => record.app === app);
  if (!record && apps.length === 1 && !session.isRoot) return replace(link([apps[0].app, 'overview']));
  showTop(record?.app);
  if (!app) { content.replaceChildren(...appsPage()); return; }
  const known = pages.find(([id]) => id === (page || 'overview'));
  content.setAttribute('aria-busy', true);
  let elements;
  try {
    if (!record) throw new Failure(404, { detail: 'There is no app of this name for this key.' });
    if (!known) throw new Failure(404, { detail: 'There is no such page.' });
    showNav(app, known[0]);
    const module = await import(`./${known[0]}.js`);
    elements = await module.default({ app, record, rest, query, signal });
    if (signal.aborted) return;
  } catch (error) {
    if (error.name === 'AbortError' || signal.aborted || !session.key) return;
    elements = [heading(known?.[1] ?? 'Not found'), failure(error, known && show), action('To all apps', '#/')];
  }
  content.removeAttribute('aria-busy');
  content.replaceChildren(...[elements].flat());
  const title = content.querySelector('h1');
  document.title = `${title?.textContent ?? known?.[1]} · ${record?.name ?? 'Postilion'}`;
  if (!content.contains(document.activeElement)) title?.focus({ preventScroll: true });
  scrollTo(0, 0);
}

// MARK: Keyboard

let awaitsPage = false;
let waiting;
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector('dialog[open]')) return;
  if (event.key === 'ArrowDown' && event.target.matches('input[type=search]')) {
    const first = content.querySelector('tbody tr :is(a, button)');
    if (first) { event.preventDefault(); first.focus(); }
    return;
  }
  if (event.target.matches('input, select, textarea')) return;
  if (awaitsPage) {
    awaitsPage = false;
    const page = pages.find(([, , letter]) => letter === event.key);
    if (page && route().app) { event.preventDefault(); go(link([route().app, page[0]])); }
  } else if (event.key === 'g') {
    awaitsPage = true;
    clearTimeout(waiting);
    waiting = setTimeout(() => { awaitsPage = false; }, 1500);
  } else if (event.key === '?') {
    settings();
  } else if (event.key === '/') {
    const search = content.querySelector('input[type=search], [aria-keyshortcuts="/"]');
    if (search) { event.preventDefault(); search.focus(); search.select?.(); }
  }
});

// MARK: Start

/// Removes a key from the address, as the demo prints it, and from the history, and gives it.
function handedKey() {
  if (!location.hash.startsWith('#key=')) return undefined;
  const key = /^#key=(pst_[a-z]+_[\w.-]+)$/.exec(location.hash)?.[1];
  history.replaceState(null, '', '#/');
  return key;
}

async function start() {
  applyLook();
  const handed = handedKey();
  if (!session.key) {
    signInPage();
    return handed && offer(handed);
  }
  try {
    apps = await all(['apps']);
  } catch (error) {
    return error.status === 401 ? undefined : signInPage(error);
  }
  await show();
  if (handed && handed !== session.key) offer(handed);
}

// The address is that of the page: the link only moves the focus.
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault();
  content.focus();
});
addEventListener('hashchange', () => {
  const handed = handedKey();
  show();
  if (handed && handed !== session.key) offer(handed);
});
start();
