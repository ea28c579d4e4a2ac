// A message: its editor, and beside it what people of each language see.

import { call } from './api.js';
import { mark } from './arguments.js';
import { newestBuild, newestFirst } from './coverage.js';
import { debounce, h, languageName, pretty, time } from './dom.js';
import { canonical, difference, exact, isObject, lines, parse, words } from './json.js';
import { example, messageForm } from './message-form.js';
import { preview } from './message-preview.js';
import { writePlural } from './plural.js';
import { go, link, note, replace, route } from './route.js';
import { knownKeys } from './strings.js';
import { button, confirm, dialog, failure, field, heading, later, notice, panel, prose, toast } from './ui.js';

export default async function message({ app, record, rest, query, signal }) {
  const path = (name) => ['apps', app, 'messages', name];
  const read = async (response) => ({ ...exact(await response.text()), etag: response.headers.get('ETag') });
  const load = async (name) => read(await call('GET', path(name), { signal }));
  let [stored, catalogs] = await Promise.all([rest[0] && load(rest[0]), newestFirst(app, signal)]);
  const languages = (newestBuild(catalogs) ?? catalogs[0])?.languages ?? [];
  const initial = pretty(stored?.message ?? example);
  let value, offsets, fault, asking = new AbortController(), trying = new AbortController();

  const named = h('input', { value: rest[0] ?? '', required: true, pattern: '[A-Za-z0-9._\\-]{1,64}', dir: 'ltr',
    placeholder: 'order_ready', autocomplete: 'off', spellcheck: 'false', oninput: () => typed(true) });
  const text = h('textarea', { rows: 18, spellcheck: 'false', dir: 'ltr', value: initial, oninput: () => typed() });
  const said = h('div', { class: 'checks', role: 'status' });
  const warned = h('div');
  const changes = h('pre', { class: 'diff', dir: 'ltr', tabindex: 0 });
  const differences = h('details', {}, h('summary', {}, 'Differences to the stored version'), changes);
  const about = h('span');
  const saver = button('Save', () => save(), 'primary', { 'aria-keyshortcuts': 'Control+S Meta+S' });
  // The keys may be many, and the page is there without them.
  const known = knownKeys(app, catalogs, signal).catch(() => []);
  const form = messageForm(record, languages, known, {
    edit: (change, isOtherShape) => {
      change(value);
      text.value = pretty(value);
      typed(true);
      if (isOtherShape) setTimeout(() => form.draw(value));
    },
    write: (text) => writePlural({ app, record, languages, text, parameters: value.parameters ?? {} }),
  });
  const shown = preview(app, record, query, catalogs, (name, value) => {
    query.set(name, value);
    note(link([app, 'messages', ...rest], query));
  });

  const isChanged = () => fault || !stored ? text.value !== initial : canonical(value) !== canonical(stored.message);
  const condition = () => stored ? { 'If-Match': stored.etag } : { 'If-None-Match': '*' };

  /// Takes over what the JSON says now. The form follows, unless the change is its own.
  function typed(isByForm) {
    fault = undefined;
    try {
      const known = parse(text.value);
      if (!isObject(known.value)) throw Object.assign(new Error('A message is an object in braces.'), { offset: 0 });
      ({ value, offsets } = known);
      form[isByForm ? 'follow' : 'draw'](value);
    } catch (error) { fault = error; }
    form.element.disabled = Boolean(fault);
    if (fault) tell([{ detail: fault.message, offset: fault.offset ?? 0 }]);
    if (fault) shown.rest(); else shown.wait();
    showState();
    ask();
  }

  function showState() {
    const isOther = isChanged();
    saver.disabled = fault || (stored && !isOther);
    about.replaceChildren(...stored ? [`Version ${stored.version}, changed `, time(stored.updated_at),
      isOther ? ' · not saved yet' : ''] : ['Not saved yet']);
    differences.hidden = fault || !stored || !isOther;
    if (differences.hidden) return;
    const changed = difference(lines(stored.message), lines(value));
    const isNear = (_, index) => changed.slice(Math.max(0, index - 3), index + 4).some(([sign]) => sign !== ' ');
    changes.replaceChildren(...changed.filter(isNear).map(([sign, line]) =>
      h({ '+': 'ins', '-': 'del' }[sign] ?? 'span', {}, `${sign} ${line}\n`)));
  }

  /// Lists faults, each with a way to its place in the JSON.
  function tell(errors) {
    mark(form.element, errors);
    text.setAttribute('aria-invalid', errors.length > 0);
    said.replaceChildren(errors.length === 0 ? 'No faults.'
      : h('ul', {}, errors.map(({ pointer, detail, offset = offsetOf(pointer) }) => h('li', {},
        button(pointer === undefined ? 'JSON' : words(pointer), () => {
          text.focus();
          text.setSelectionRange(offset, offset + 1);
        }, 'small'), ' ', prose(detail)))));
  }

  /// The place of a pointer, or of the nearest part around it that is there.
  const offsetOf = (pointer = '') => offsets.get(pointer) ?? offsetOf(pointer.slice(0, pointer.lastIndexOf('/')));

  const warn = (warnings = []) => warned.replaceChildren(warnings.length > 0 && notice('warn',
    h('strong', {}, 'Warnings: it can be saved all the same'), h('ul', { class: 'problems' },
      warnings.map(({ pointer, detail, languages, catalog }) => h('li', {}, words(pointer), ': ', prose(detail),
        languages.length > 0 && ` (${languages.map(languageName).join(', ')})`,
        catalog && ` – build ${catalog}`)))) || '');

  /// Once nobody types: asks for the preview, for faults, and for the warnings of a dry run.
  const ask = debounce(300, async () => {
    asking.abort();
    if (fault || signal.aborted) return;
    asking = new AbortController();
    const signals = AbortSignal.any([signal, asking.signal]);
    const name = named.validity.valid ? named.value : undefined;
    const [errors, dry] = await Promise.all([
      shown.show({ ...value, message_type: value.message_type ?? name }, signals),
      !name || (stored && !isChanged()) ? { warnings: stored?.warnings }
        : call('PUT', path(name), { query: { dry_run: true }, body: value, headers: condition(),
          signal: AbortSignal.any([signals, trying.signal]) }).then(read).catch((error) => ({ error }))]);
    if (!errors || signals.aborted) return;
    tell(errors.length > 0 ? errors : dry.error?.errors ?? []);
    if (dry.error?.status === 412) said.append(notice('warn', taken()));
    if (!dry.error) warn(dry.warnings);
  });

  const taken = () => stored ? 'Somebody has changed it meanwhile.' : 'There is already a message of this name.';

  async function save() {
    if (saver.disabled || !named.reportValidity()) return;
    // A dry run that comes behind this would find that somebody has changed the message.
    trying.abort();
    try {
      const isFirst = !stored;
      stored = await read(await call('PUT', path(named.value), { body: value, headers: condition() }));
      toast(`Saved as version ${stored.version}.`);
      warn(stored.warnings);
      showState();
      if (!isFirst) return;
      query.delete('new');
      replace(link([app, 'messages', named.value], query));
    } catch (error) {
      if (error.status === 412 && stored) return conflict();
      if (error.errors?.length > 0) tell(error.errors);
      else said.replaceChildren(error.status === 412 ? notice('bad', taken()) : failure(error));
    } finally {
      trying = new AbortController();
    }
  }

  /// Somebody else was first: takes that version, or compares the own one with it.
  async function conflict() {
    const theirs = await load(rest[0]).catch(() => undefined);
    const choice = await dialog('The message was changed meanwhile', (close) => [
      h('p', {}, theirs ? `Somebody saved version ${theirs.version}. Nothing of it or of yours is lost yet.`
        : 'Somebody deleted it. Saving again makes it anew.'),
      h('div', { class: 'actions' }, button('Cancel', () => close()),
        theirs && button('Drop mine and reload', () => close('reload'), 'danger'),
        button(theirs ? 'See the differences' : 'Keep mine', () => close('compare'), 'primary'))]);
    if (!choice) return;
    stored = theirs;
    if (choice === 'reload') text.value = pretty(theirs.message);
    differences.open = true;
    typed();
    changes.focus();
  }

  async function remove() {
    if (!await confirm(`Delete ${rest[0]}?`, 'Renderings that name it fail from then on.', 'Delete')) return;
    const { etag } = stored;
    leave(link([app, 'messages']));
    later(`${rest[0]} will be deleted.`, async () => {
      await call('DELETE', path(rest[0]), { headers: { 'If-Match': etag } });
      const now = route();
      if (now.app === app && now.page === 'messages' && now.rest.length === 0) replace(location.hash);
    });
  }

  const leaving = new AbortController();
  const leave = (address) => { leaving.abort(); go(address); };
  const whileHere = { signal: AbortSignal.any([signal, leaving.signal]) };
  addEventListener('beforeunload', (event) => { if (isChanged()) event.preventDefault(); }, whileHere);
  // Before the address changes: once it has changed, the page is gone.
  window.navigation?.addEventListener('navigate', async (event) => {
    if (!event.hashChange || !event.cancelable || !isChanged()) return;
    event.preventDefault();
    const { hash } = new URL(event.destination.url);
    if (await confirm('Leave without saving?', 'The changes of this message are lost.', 'Leave')) leave(hash);
  }, whileHere);
  addEventListener('keydown', (event) => {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    save();
  }, whileHere);

  typed();
  return [
    heading(rest[0] ?? 'New message', about, stored ? button('Delete', remove, 'danger') : '', saver),
    h('div', { class: 'halves' },
      panel('Message', !stored && field('Name', named, 'Your backend sends it by this name.'), form.element,
        field('JSON', text, 'The whole message. The form above shows its common parts.'), said, warned, differences),
      shown.element),
  ];
}
