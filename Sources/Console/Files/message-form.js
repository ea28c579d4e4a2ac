// The form of the common parts of a message, which knows nothing of the rest of it.

import { argument, names, samples } from './arguments.js';
import { h, isRightToLeft } from './dom.js';
import { isObject } from './json.js';
import { button, field, select } from './ui.js';

/// What a new message starts with, and what explains messages where there are none.
export const example = {
  alert: { title: 'Welcome', body: { text: { en: 'Hello, {name}!', fr: 'Bonjour {name} !' } } },
  parameters: { name: { type: 'string' } },
};

const kinds = [['', 'none'], ['everybody', 'text for everybody'], ['languages', 'text for each language'],
  ['key', 'key of the app’s strings']];

/// Sets a member, and makes the objects on the way to it; `undefined` removes it.
function set(object, [name, ...rest], value) {
  if (name === 'alert' && typeof object.alert === 'string') object.alert = { body: object.alert };
  if (rest.length > 0) set(isObject(object[name]) ? object[name] : object[name] = {}, rest, value);
  else if (value === undefined) delete object[name];
  else object[name] = value;
}

/// The form of the common parts. `edit(change, isOtherShape)` changes the message; whatever the form
/// does not know stays as it is.
export function messageForm(record, catalogs, edit) {
  const element = h('fieldset', { class: 'parts', 'aria-label': 'The common parts' });
  const languages = catalogs.at(-1)?.languages ?? [];
  const memory = {};
  let message;

  const at = (path, label) => ({ 'aria-label': label, 'data-pointer': `/${path.join('/')}` });
  const put = (path, value, isOtherShape) => edit((message) => set(message, path, value), isOtherShape);
  const get = (path) => path.reduce((object, name) => object?.[name], message);
  const row = (...children) => h('div', { class: 'row' }, children);

  /// An input for the member at a path.
  const control = (path, label, attributes, parse = (text) => text || undefined) => {
    const held = get(path);
    return h('input', { value: isObject(held) ? '' : [held ?? ''].flat().join(', '), dir: 'auto', ...at(path, label),
      ...attributes, ...(isObject(held) ? { placeholder: 'see the JSON', readonly: true } : {}),
      oninput: ({ target }) => put(path, parse(target.value)) });
  };
  const remover = (path) =>
    button('×', () => put(path, undefined, true), 'small', { 'aria-label': `Remove ${path.at(-1)}` });
  /// The name of a member, which keeps its place when it is renamed.
  const namer = (path, label, list) => h('input', { value: path.at(-1), list, dir: 'ltr', ...at(path, label),
    onchange: ({ target: { value } }) => {
      const around = path.slice(0, -1);
      const known = get(around);
      put(around, !value || value in known ? known : Object.fromEntries(Object.entries(known).map(([name, member]) =>
        [name === path.at(-1) ? value : name, member])), true);
    } });

  function part(name) {
    const path = ['alert', name];
    const text = typeof message.alert !== 'string' ? get(path) : name === 'body' ? message.alert : undefined;
    const kind = !text ? '' : text.key !== undefined ? 'key' : isObject(text.text) ? 'languages' : 'everybody';
    const wordings = kind === 'languages' ? Object.entries(text.text).filter(([, value]) => !isObject(value)) : [];
    const first = kind === 'everybody' ? text.text ?? text : wordings[0]?.[1] ?? '…';
    const fresh = { everybody: first, key: { key: '' },
      languages: { text: { [record.development_language ?? 'en']: first } } };
    const chooser = select(kinds, kind, { 'aria-label': `Kind of ${name}`, onchange: () => {
      memory[name + kind] = text;
      put(path, memory[name + chooser.value] ?? fresh[chooser.value], true);
    } });
    const wording = (path, value, language) => h('textarea', { value, rows: name === 'body' ? 2 : 1, lang: language,
      dir: isRightToLeft(language) ? 'rtl' : 'auto', ...at(path, `${name} ${language ?? ''}`),
      oninput: ({ target }) => put(path, target.value) });
    const each = [...path, 'text'];
    return h('div', { class: 'part' }, h('strong', {}, name), chooser, {
      everybody: () => wording(text === message.alert ? ['alert'] : isObject(text) ? each : path, first),
      languages: () => [...wordings.map(([tag, value]) => row(namer([...each, tag], `Language of the ${name}`, 'tags'),
        wording([...each, tag], value, tag), remover([...each, tag]))),
      button('Add a language', () =>
        put([...each, languages.find((tag) => !(tag in text.text)) ?? 'und'], '', true), 'small')],
      key: () => row(
        control([...path, 'key'], `Key of the ${name}`, { placeholder: 'READY_TITLE', dir: 'ltr' }, (text) => text),
        control([...path, 'args'], `Arguments of the ${name}`, { placeholder: 'name, place', dir: 'ltr' }, names)),
    }[kind]?.());
  }

  function parameters() {
    const known = Object.entries(message.parameters ?? {}).filter(([, parameter]) => isObject(parameter));
    return h('div', { class: 'part' }, h('strong', {}, 'parameters'), known.map(([name, { type }]) => {
      const path = ['parameters', name];
      return row(namer(path, 'Name of a parameter'),
        select(Object.keys(samples), type, { ...at([...path, 'type'], `Type of ${name}`),
          onchange: ({ target }) => put([...path, 'type'], target.value, true) }),
        type === 'currency' && control([...path, 'currency'], `Currency of ${name}`, { placeholder: 'EUR' }),
        type === 'choice' && control([...path, 'of'], `Words of ${name}`, { placeholder: 'female, male, other' }, names),
        control([...path, 'default'], `Default of ${name}`, { placeholder: 'default' },
          (text) => argument(type, text)), remover(path));
    }), button('Add a parameter', () => {
      let number = 1;
      while (get(['parameters', `value${number}`])) number += 1;
      put(['parameters', `value${number}`], { type: 'string' }, true);
    }, 'small'));
  }

  const controls = () => [...element.querySelectorAll('input, select, textarea, button')];

  /// Draws the form anew; the focus stays where it was.
  function draw(value) {
    const focused = controls().indexOf(document.activeElement);
    message = value;
    element.replaceChildren(
      h('datalist', { id: 'tags' }, languages.map((value) => h('option', { value }))),
      ...['title', 'subtitle', 'body'].map(part), parameters(),
      h('div', { class: 'filters' },
        field('Sound', control(['sound'], null, { placeholder: 'default' })),
        field('Category', control(['category'], null, { placeholder: 'ORDER' })),
        field('Collapse id', control(['collapse_id'], null, { placeholder: 'order-{id}' })),
        field('Interruption level', select(
          [['', 'active, unless set'], 'passive', 'active', 'time-sensitive', 'critical'], message.interruption_level,
          { ...at(['interruption_level']),
            onchange: ({ target }) => put(['interruption_level'], target.value || undefined) }))));
    controls()[focused]?.focus();
  }
  return { element, draw };
}
