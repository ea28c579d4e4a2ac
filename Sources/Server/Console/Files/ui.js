// The parts that pages are made of.

import { count, h, number } from './dom.js';
import { words } from './json.js';

/// The head of a page: its title, what it is about, its actions.
export const heading = (title, about, ...actions) =>
  h('header', { class: 'heading' },
    h('div', {}, h('h1', { tabindex: -1 }, title), about && h('p', { class: 'quiet' }, about)),
    actions.length > 0 && h('div', { class: 'actions' }, actions));

/// A part of a page with a title.
export const panel = (title, ...children) => {
  const id = `panel-${++panels}`;
  return h('section', { class: 'panel', 'aria-labelledby': id }, h('h2', { id }, title), children);
};
let panels = 0;

/// A button. `kind`: `primary`, `danger`, or nothing.
export const button = (text, onclick, kind = '', attributes = {}) =>
  h('button', { type: 'button', class: `button ${kind}`, onclick, ...attributes }, text);

/// A link that looks like a button.
export const action = (text, href, kind = '') => h('a', { class: `button ${kind}`, href }, text);

/// A short word with a colour. `kind`: `good`, `bad`, `warn`, or nothing.
export const badge = (text, kind = '') => h('span', { class: `badge ${kind}` }, text);

/// The status of a token.
export const status = (word) =>
  badge(word, { active: 'good', invalid: 'bad', quarantined: 'warn' }[word] ?? '');

/// A labelled input. `control` is an input, select or textarea.
export function field(label, control, hint) {
  const id = control.id || (control.id = `field-${++fields}`);
  if (hint) control.setAttribute('aria-describedby', `${id}-hint`);
  return h('div', { class: 'field' }, h('label', { for: id }, label), control,
    hint && h('p', { class: 'hint', id: `${id}-hint` }, hint));
}
let fields = 0;

/// A choice of words; each is a text, or a pair of value and text.
export const select = (options, value, attributes = {}) => {
  const element = h('select', attributes, options.map((option) => {
    const [key, text] = Array.isArray(option) ? option : [option, option];
    return h('option', { value: key }, text);
  }));
  element.value = value ?? '';
  return element;
};

/// A sentence of the service: what it has between backticks is code.
export const prose = (text) =>
  text.split(/`([^`]+)`/).map((part, index) => index % 2 === 0 ? part : h('code', { dir: 'auto' }, part));

/// A field with the problems of an input, as the service names them.
export const problems = (errors) =>
  h('ul', { class: 'problems' }, errors.map((error) =>
    h('li', {}, error.pointer && [h('strong', {}, words(error.pointer)), ': '], prose(error.detail))));

/// An error, with what can be done about it.
export function failure(error, retry) {
  return h('div', { class: 'notice bad', role: 'alert' },
    h('p', {}, h('strong', {}, prose(error.message))),
    (error.errors?.length > 1 || error.errors?.[0]?.pointer) && problems(error.errors),
    error.retryAfter && h('p', {}, `The service asks to wait ${count(Number(error.retryAfter), 'second')}.`),
    retry && button('Try again', retry));
}

/// A remark in a box. `kind`: `good`, `bad`, `warn`, or nothing.
export const notice = (kind, ...children) => h('div', { class: `notice ${kind}` }, children);

/// What stands where there is nothing yet.
export const empty = (title, ...children) =>
  h('div', { class: 'empty' }, h('p', {}, h('strong', {}, title)), children);

/// A table. Columns: `{name, cell(row), numeric}`. The first cell of a row holds its link, and the
/// arrow keys go from link to link. Give `rows` to `add` for more of them.
export function table(caption, columns, rows = []) {
  const body = h('tbody');
  const element = h('div', { class: 'table' },
    h('table', { onkeydown: moveBetweenRows },
      h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, columns.map((column) =>
        h('th', { scope: 'col', class: column.numeric && 'numeric' }, column.name)))),
      body));
  element.add = (rows) => body.append(...rows.map((row) =>
    h('tr', {}, columns.map((column) =>
      h('td', { class: column.numeric && 'numeric' }, column.cell(row) ?? '–')))));
  element.add(rows);
  return element;
}

function moveBetweenRows(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = event.target.closest('tbody tr');
  if (!step || !row || event.target.matches('input, select, textarea')) return;
  const rows = [...row.parentElement.rows];
  const next = rows[rows.indexOf(row) + step]?.querySelector('a, button');
  if (!next) return;
  event.preventDefault();
  next.focus();
}

/// A list that is read page after page as one scrolls, or by its button. `load()` gives the items
/// of the next page, `undefined` behind the last.
export function endless(load, add, { none, one = 'row', many } = {}) {
  let shown = 0;
  let isLoading = false;
  const said = h('p', { class: 'quiet', role: 'status' });
  const more = button('Load more', () => next());
  const element = h('div', { class: 'more' }, said, more);
  const observer = new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) next();
  }, { rootMargin: '600px' });

  async function next() {
    if (isLoading || more.hidden) return;
    isLoading = true;
    more.disabled = true;
    try {
      const items = await load();
      if (items) { add(items); shown += items.length; }
      if (!items || items.length === 0) {
        more.hidden = true;
        observer.disconnect();
        if (shown === 0 && none) { element.className = ''; return void element.replaceChildren(none); }
      }
      const noun = shown === 1 ? one : many ?? `${one}s`;
      said.textContent = more.hidden ? `${number(shown)} ${noun}` : `${number(shown)} ${noun} so far`;
    } catch (error) {
      if (error.name === 'AbortError') return;
      element.replaceChildren(failure(error, () => { element.replaceChildren(said, more); next(); }));
    } finally {
      isLoading = false;
      more.disabled = false;
    }
  }

  element.start = async () => { await next(); observer.observe(more); return element; };
  return element;
}

/// A dialog. `content(close)` gives its elements; Escape closes it. Gives what `close` was given.
export function dialog(title, content) {
  return new Promise((resolve) => {
    let result;
    const close = (value) => { result = value; element.close(); };
    const element = h('dialog', {
      'aria-label': title,
      onclose: () => { element.remove(); resolve(result); },
    }, h('h2', {}, title), content(close));
    document.body.append(element);
    element.showModal();
  });
}

/// Asks whether to go on; with `word` that has to be typed, for what cannot be undone.
export const confirm = (title, text, verb, word) =>
  dialog(title, (close) => {
    const input = word && h('input', { autocomplete: 'off', oninput: () => { go.disabled = input.value !== word; } });
    const go = button(verb, () => close(true), 'danger', { disabled: Boolean(word) });
    return h('form', { method: 'dialog', onsubmit: (event) => { event.preventDefault(); if (!go.disabled) close(true); } },
      h('p', {}, text), word && field(`Type ${word} to go on`, input),
      h('div', { class: 'actions' }, button('Cancel', () => close(false)), go));
  });

/// Says something for a while at the foot of the page.
export function toast(text, { kind = '', act, onact, seconds = 6 } = {}) {
  const close = () => element.remove();
  const element = h('div', { class: `toast ${kind}` }, h('span', {}, prose(text)),
    act && button(act, () => { onact(); close(); }));
  document.getElementById('toasts').append(element);
  setTimeout(close, seconds * 1000);
  return close;
}

/// Does something in a few seconds, unless it is undone before: for what cannot be taken back once
/// it is done. Leaving the page does it at once.
export function later(text, body, seconds = 8) {
  let isDone = false;
  const run = async () => {
    if (isDone) return;
    isDone = true;
    removeEventListener('pagehide', run);
    clearTimeout(timer);
    close();
    try { await body(); } catch (error) { toast(error.message, { kind: 'bad' }); }
  };
  const timer = setTimeout(run, seconds * 1000);
  addEventListener('pagehide', run);
  const close = toast(text, {
    act: 'Undo', seconds: seconds + 1,
    onact: () => { isDone = true; clearTimeout(timer); removeEventListener('pagehide', run); toast('Nothing was changed.'); },
  });
}

/// A button that copies a text.
export const copy = (text, label = 'Copy') =>
  button(label, async (event) => {
    const element = event.currentTarget;
    await navigator.clipboard.writeText(typeof text === 'function' ? text() : text);
    element.textContent = 'Copied';
    setTimeout(() => { element.textContent = label; }, 1500);
  });

/// A code of some lines, with a button that copies it.
export const code = (text, label = 'Copy') =>
  h('div', { class: 'code' }, h('pre', { tabindex: 0 }, h('code', {}, text)), copy(text, label));

/// Names and values.
export const facts = (pairs) =>
  h('dl', { class: 'facts' }, pairs.filter(Boolean).map(([name, ...value]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value))));
