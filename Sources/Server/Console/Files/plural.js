// A text that depends on a number, written without a file of Xcode: the console makes the file, one
// for each such text, and stores it in the catalog `server`, which belongs to no build.

import { Failure, all, call } from './api.js';
import { h, isRightToLeft, languageName, number } from './dom.js';
import { named } from './strings.js';
import { button, dialog, failure, field, notice, select } from './ui.js';

const categories = ['zero', 'one', 'two', 'few', 'many', 'other'];

/// The whole numbers that tell the categories of languages apart.
const numbers = [...Array(200).keys(), 1000, 1_000_000];

/// What a language tells apart, each with the first numbers: in English `one` with 1, `other` with
/// 0, 2, 3 and so on.
function casesOf(language) {
  let rules;
  try { rules = new Intl.PluralRules(language.replaceAll('_', '-')); } catch { rules = new Intl.PluralRules('en'); }
  const first = Object.groupBy(numbers, (value) => rules.select(value));
  return categories.filter((name) => name in first).map((name) => {
    const shown = first[name].slice(0, 3).map(number).join(', ');
    return { name, label: first[name].length > 3 ? `For ${shown} and so on` : `For ${shown}` };
  });
}

/// Whether a text of a message is one that was written here.
export const isWrittenHere = (text) =>
  Boolean(text?.key) && text.catalog === 'server' && text.table === text.key;

/// The names in braces of a text, each once.
const namesIn = (text) => [...new Set([...text.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name))];

/// The file of one text. `texts`: by language and category, as they were written; `names`: what the
/// places stand for, the number first.
function file(key, development, texts, names) {
  const format = (text) => text.replaceAll('%', '%%').replace(/\{([^{}]+)\}/g, (_, name) =>
    `%${names.indexOf(name) + 1}$${name === names[0] ? 'lld' : '@'}`);
  const unit = (text) => ({ stringUnit: { state: 'translated', value: format(text) } });
  const localizations = Object.fromEntries(Object.entries(texts).map(([language, cases]) => [language, {
    variations: { plural: Object.fromEntries(Object.entries(cases).map(([name, text]) => [name, unit(text)])) },
  }]));
  return JSON.stringify({ sourceLanguage: development, version: '1.0',
    strings: { [key]: { extractionState: 'manual', localizations } } }, null, 2);
}

/// What is written for a text already, by language and category.
async function written(app, { key, args = [] }) {
  const entries = await all(['apps', app, 'catalogs', 'server', 'strings'], { key, table: key });
  return Object.fromEntries(entries.map(({ language, variables = {} }) => [language, Object.fromEntries(
    Object.entries(Object.values(variables)[0]?.cases ?? {}).map(([name, text]) => [name, named(text, args)]))]));
}

/// Whether the catalog `server` has a text of this key, written here or uploaded.
async function isTaken(app, key) {
  const catalogs = await all(['apps', app, 'catalogs']);
  return catalogs.some(({ version }) => version === 'server')
    && (await all(['apps', app, 'catalogs', 'server', 'strings'], { key, table: key })).length > 0;
}

/// Asks for the texts and stores them. Gives the text for the message, and the name of the number;
/// `undefined` if the person changed their mind. `text` is what the message has now, `parameters`
/// are those of the message.
export async function writePlural({ app, record, languages, text, parameters }) {
  const isKnown = isWrittenHere(text);
  const old = isKnown ? await written(app, text) : {};
  const development = record.development_language ?? 'en';
  const whole = Object.keys(parameters).filter((name) => parameters[name]?.type === 'integer');
  const choice = whole.length > 0 ? whole : ['count'];
  const tags = [...new Set([development, ...languages, ...Object.keys(old)])];
  return dialog('A text that depends on a number', (close) => {
    const key = h('input', { value: isKnown ? text.key : '', required: true, readonly: isKnown, dir: 'ltr',
      pattern: '[A-Za-z0-9_\\-]{1,64}', placeholder: 'DISHES_IN_BASKET', autocomplete: 'off', spellcheck: 'false' });
    const counted = select(choice, text?.args?.[0] in parameters ? text.args[0] : choice[0],
      { onchange: () => explain() });
    const hint = h('p', { class: 'hint' });
    const explain = () => { hint.textContent = `Write {${counted.value}} where the number stands. The last text of a language stands in for those that you leave empty.`; };
    const said = h('div');
    const inputs = new Map(tags.map((tag) => [tag, casesOf(tag).map(({ name, label }) => ({ name, label,
      input: h('textarea', { rows: 1, value: old[tag]?.[name] ?? '', lang: tag,
        dir: isRightToLeft(tag) ? 'rtl' : 'auto' }) }))]));

    const fail = (detail) => { throw new Failure(422, { detail }); };

    function read() {
      const texts = {};
      for (const [tag, cases] of inputs) {
        const filled = cases.filter(({ input }) => input.value.trim());
        if (filled.length === 0) continue;
        const { input: other, label } = cases.at(-1);
        if (!other.value.trim()) fail(`Write the text “${label}” in ${languageName(tag)}, too.`);
        texts[tag] = Object.fromEntries(cases.map(({ name, input }) => [name, input.value.trim() ? input.value : other.value]));
      }
      if (!texts[development]) fail(`Write the texts in ${languageName(development)}: everyone whose language has none gets them.`);
      const used = namesIn(Object.values(texts).flatMap(Object.values).join(' '));
      const names = [counted.value, ...used.filter((name) => name !== counted.value)];
      const unknown = names.find((name, index) => index > 0 && !(name in parameters));
      if (unknown) fail(`The message has no parameter ${unknown}. Add it first, or write it differently.`);
      if (!namesIn(Object.values(texts[development]).join(' ')).includes(counted.value)) {
        fail(`No text in ${languageName(development)} shows the number. Write {${counted.value}} in one of them.`);
      }
      return { texts, names };
    }

    async function save(event) {
      event.preventDefault();
      try {
        const { texts, names } = read();
        const form = new FormData();
        form.append('file', new Blob([file(key.value, development, texts, names)]), `${key.value}.xcstrings`);
        if (!isKnown && await isTaken(app, key.value)) fail(`There is a text ${key.value} already. Choose another key.`);
        await call('PATCH', ['apps', app, 'catalogs', 'server'], { body: form });
        close({ text: { key: key.value, args: names, table: key.value, catalog: 'server' }, number: names[0] });
      } catch (error) { said.replaceChildren(failure(error)); }
    }

    explain();
    return h('form', { onsubmit: save },
      field('Key', key, 'A name for the text: letters, digits, _ and -. People never see it.'),
      field('Number', counted, 'The parameter that your backend gives as a whole number.'), hint,
      [...inputs].map(([tag, cases]) => h('details', { open: tag === development || Boolean(old[tag]) },
        h('summary', {}, languageName(tag)),
        cases.map(({ label, input }) => field([label, h('span', { class: 'hidden' }, ` in ${languageName(tag)}`)], input)))),
      notice('', h('p', {}, 'These texts are stored at once, in the catalog “server”. Messages that use them show them at once.')),
      said, h('div', { class: 'actions' }, button('Cancel', () => close()),
        h('button', { class: 'button primary' }, 'Store the texts')));
  });
}
