// The form of the common parts of a message, which knows nothing of the rest of it.

import { argument, names, samples, typeNames } from './arguments.js';
import { h, isRightToLeft } from './dom.js';
import { isObject } from './json.js';
import { isWrittenHere } from './plural.js';
import { named } from './strings.js';
import { button, field, select } from './ui.js';

/// What a new message starts with, and what explains messages where there are none.
export const example = {
  alert: { title: 'Welcome', body: { text: { en: 'Hello, {name}!', fr: 'Bonjour {name} !' } } },
  parameters: { name: { type: 'string' } },
};

/// What a part may have. The number is last: to choose it opens a dialog, which must not lie on the
/// way of the arrow keys to another choice.
const kinds = [['', 'none'], ['everybody', 'text for everybody'], ['languages', 'text for each language'],
  ['key', 'key of the app’s strings'], ['number', 'text that depends on a number']];

/// Sets a member, and makes the objects on the way to it; `undefined` removes it.
function set(object, [name, ...rest], value) {
  if (name === 'alert' && typeof object.alert === 'string') object.alert = { body: object.alert };
  if (rest.length > 0) set(isObject(object[name]) ? object[name] : object[name] = {}, rest, value);
  else if (value === undefined) delete object[name];
  else object[name] = value;
}

/// A visible label, and what it belongs to for those who hear it.
const label = (text, of) => [text, h('span', { class: 'hidden' }, ` of ${of}`)];

/// The form of the common parts. `edit(change, isOtherShape)` changes the message; whatever the form
/// does not know stays as it is. `known` promises the keys of the app; `write(text)` asks for a text
/// that depends on a number.
export function messageForm(record, languages, known, { edit, write }) {
  const element = h('fieldset', { class: 'parts', 'aria-label': 'The common parts' });
  const keyList = h('datalist', { id: 'keys' });
  const memory = {};
  let keys, message;

  const at = (path) => ({ 'data-pointer': `/${path.join('/')}` });
  const put = (path, value, isOtherShape) => edit((message) => set(message, path, value), isOtherShape);
  const get = (path) => path.reduce((object, name) => object?.[name], message);
  const row = (...children) => h('div', { class: 'row' }, children);

  /// An input for the member at a path.
  const control = (path, attributes, parse = (text) => text || undefined) => {
    const held = get(path);
    return h('input', { value: isObject(held) ? '' : [held ?? ''].flat().join(', '), dir: 'auto', ...at(path),
      ...attributes, ...(isObject(held) ? { placeholder: 'see the JSON', readonly: true } : {}),
      oninput: ({ target }) => put(path, parse(target.value)) });
  };
  const remover = (path) =>
    button('×', () => put(path, undefined, true), 'small', { 'aria-label': `Remove ${path.at(-1)}` });
  /// The name of a member, which keeps its place when it is renamed.
  const namer = (path, list) => h('input', { value: path.at(-1), list, dir: 'ltr', ...at(path),
    onchange: ({ target: { value } }) => {
      const around = path.slice(0, -1);
      const known = get(around);
      put(around, !value || value in known ? known : Object.fromEntries(Object.entries(known).map(([name, member]) =>
        [name === path.at(-1) ? value : name, member])), true);
    } });

  /// The key of a part, with the text that it stands for.
  function keyed(name, path) {
    const hint = h('p', { class: 'hint', dir: 'auto' });
    const entryOf = ({ key, table = 'Localizable' }) => keys?.find((entry) => entry.key === key && entry.table === table);
    const tell = () => {
      const text = get(path);
      const entry = entryOf(text);
      hint.textContent = !keys || typeof text.key !== 'string' ? '' : entry ? `“${named(entry.text, text.args)}”`
        : text.key ? 'The newest build has no text for this key.' : 'Choose a key. Type a part of it, or of its text.';
    };
    /// A key of another table than `Localizable` brings its table.
    const choose = ({ target: { value } }) => {
      const fitting = keys?.filter(({ key }) => key === value) ?? [];
      const { table } = fitting.find(({ table }) => table === 'Localizable') ?? fitting[0] ?? {};
      if (table) put([...path, 'table'], table === 'Localizable' ? undefined : table);
      tell();
    };
    const key = control([...path, 'key'], { list: keyList.id, dir: 'ltr', autocomplete: 'off', spellcheck: 'false' },
      (text) => text);
    key.addEventListener('input', choose);
    const args = control([...path, 'args'], { placeholder: 'name, place', dir: 'ltr' }, names);
    args.addEventListener('input', tell);
    known.then(tell);
    tell();
    return [row(
      field(label('Key', `the ${name}`), key),
      field(label('Arguments, in their order', `the ${name}`), args)), hint];
  }

  /// Asks for the texts of a part that depend on a number.
  async function askTexts(path, text) {
    const made = await write(text);
    if (!made) return;
    memory.asked = undefined;
    edit((message) => { set(message, path, made.text); declare(message, made.number); }, true);
  }

  /// A text that depends on a number: what it is called, and the way to its texts.
  function counted(name, path, text) {
    return row(button(isWrittenHere(text) ? 'Change the texts' : 'Write the texts', () => askTexts(path, text), 'small',
      { 'aria-label': `${isWrittenHere(text) ? 'Change' : 'Write'} the texts of the ${name}` }),
    isWrittenHere(text) && h('p', { class: 'hint' }, h('code', {}, text.key), ', by the number ', h('code', {}, text.args?.[0])));
  }

  const isActivity = () => isObject(message.live_activity);
  /// Where the alert of the message is.
  const base = () => isActivity() ? ['live_activity', 'alert'] : ['alert'];

  function part(name) {
    const path = [...base(), name];
    const alert = get(base());
    const text = typeof alert !== 'string' ? get(path) : name === 'body' ? alert : undefined;
    const kind = memory.asked === name ? 'number' : !text ? '' : isWrittenHere(text) ? 'number'
      : text.key !== undefined ? 'key' : isObject(text.text) ? 'languages' : 'everybody';
    const wordings = kind === 'languages' ? Object.entries(text.text).filter(([, value]) => !isObject(value)) : [];
    const first = kind === 'everybody' ? text.text ?? text : wordings[0]?.[1] ?? '…';
    const fresh = { everybody: first, key: { key: '' },
      languages: { text: { [record.development_language ?? 'en']: first } } };
    const chooser = select(kinds, kind, { onchange: () => {
      const wanted = chooser.value;
      memory[name + kind] = text;
      memory.asked = wanted === 'number' && !memory[name + wanted] ? name : undefined;
      // Until its texts are written, there is nothing to put into the message.
      if (memory.asked) { draw(message); askTexts(path, text); }
      else put(path, memory[name + wanted] ?? fresh[wanted], true);
    } });
    const wording = (path, value, language) => field(label('Text', language ? `the ${name} in ${language}` : `the ${name}`),
      h('textarea', { value, rows: name === 'body' ? 2 : 1, lang: language,
        dir: isRightToLeft(language) ? 'rtl' : 'auto', ...at(path), oninput: ({ target }) => put(path, target.value) }));
    const each = [...path, 'text'];
    return h('div', { class: 'part' }, field(name[0].toUpperCase() + name.slice(1), chooser), {
      everybody: () => wording(text === alert ? base() : isObject(text) ? each : path, first),
      languages: () => [...wordings.map(([tag, value]) => row(
        field(label('Language', `the ${name}`), namer([...each, tag], 'tags')),
        wording([...each, tag], value, tag), remover([...each, tag]))),
      button('Add a language', () =>
        put([...each, languages.find((tag) => !(tag in text.text)) ?? 'und'], '', true), 'small')],
      number: () => counted(name, path, text),
      key: () => keyed(name, path),
    }[kind]?.());
  }

  function parameters() {
    const known = Object.entries(message.parameters ?? {}).filter(([, parameter]) => isObject(parameter));
    return h('section', { class: 'part', 'aria-label': 'Parameters' }, h('h3', {}, 'Parameters'),
      h('p', { class: 'hint' }, 'What your backend fills in, such as a name. Write {name} in a text to show it.'),
      known.map(([name, { type }]) => {
        const path = ['parameters', name];
        return h('div', { class: 'row parameter' },
          field(label('Name', 'a parameter'), namer(path)),
          field(label('Type', name), select(Object.keys(samples).map((type) => [type, typeNames[type]]), type, {
            ...at([...path, 'type']), onchange: ({ target }) => put([...path, 'type'], target.value, true) })),
          type === 'currency' && field(label('Currency', name), control([...path, 'currency'], { placeholder: 'EUR' })),
          type === 'choice'
            && field(label('Words', name), control([...path, 'of'], { placeholder: 'female, male, other' }, names)),
          field(label('Value if none is given', name), control([...path, 'default'], {}, (text) => argument(type, text))),
          remover(path));
      }), button('Add a parameter', () => {
        let number = 1;
        while (get(['parameters', `value${number}`])) number += 1;
        put(['parameters', `value${number}`], { type: 'string' }, true);
      }, 'small'));
  }

  const controls = () => [...element.querySelectorAll('input, select, textarea, button')];

  /// Takes over a message that the form shows already, as its own change has made it.
  const follow = (value) => { message = value; };

  /// Draws the form anew; the focus stays where it was.
  function draw(value) {
    const focused = controls().indexOf(document.activeElement);
    message = value;
    element.replaceChildren(
      h('datalist', { id: 'tags' }, languages.map((value) => h('option', { value }))), keyList,
      ...(isActivity() ? ['title', 'body'] : ['title', 'subtitle', 'body']).map(part), parameters(),
      isActivity() ? h('p', { class: 'hint' }, 'The state of the Live Activity is in the JSON below.')
        : h('div', { class: 'filters' },
        field('Sound', control(['sound'], { placeholder: 'default' })),
        field('Category', control(['category'], { placeholder: 'ORDER' })),
        field('Collapse id', control(['collapse_id'], { placeholder: 'order-{id}' })),
        field('Interruption level', select(
          [['', 'not set'], 'passive', 'active', 'time-sensitive', 'critical'], message.interruption_level,
          { ...at(['interruption_level']),
            onchange: ({ target }) => put(['interruption_level'], target.value || undefined) }))));
    controls()[focused]?.focus();
  }

  known.then((found) => {
    keys = found;
    keyList.replaceChildren(...keys.map(({ key, text }) => h('option', { value: key, label: named(text) })));
  });
  return { element, draw, follow };
}

/// Declares the number that a text depends on, if the message does not know it yet.
function declare(message, name) {
  if (!message.parameters?.[name]) set(message, ['parameters', name], { type: 'integer' });
}
