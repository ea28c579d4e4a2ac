// The preview of a message: what people of each language see.

import { post } from './api.js';
import { argument, isDate, isNumber, mark, samples, typeNames } from './arguments.js';
import { newestBuild } from './coverage.js';
import { count, debounce, h, inputTime, languageName, number, platforms, pretty } from './dom.js';
import { isObject } from './json.js';
import { isSameLanguage, languagesOf } from './languages.js';
import { meaning } from './meanings.js';
import { notification, writers } from './notification.js';
import { button, code, facts, field, notice, panel, prose, select } from './ui.js';

/// Numbers that languages count differently.
const counts = [0, 1, 2, 3, 5, 11, 100, 1_000_000];

/// The preview. `query` holds its controls and arguments, `remember(name, value)` keeps a change of them.
/// `show(message, signal)` gives the faults of the message, or nothing when another call came first.
export function preview(app, record, query, catalogs, remember) {
  let message, shape, outer, answers = [], asking = new AbortController();
  const opened = new Set();
  const said = h('p', { class: 'quiet', role: 'status' });
  const list = h('ul', { class: 'previews' });
  const inputs = h('div', { class: 'filters' });
  const wait = () => list.setAttribute('aria-busy', true);
  const rest = () => list.removeAttribute('aria-busy');
  const soon = debounce(200, () => message && show(message, outer));
  const again = () => { wait(); soon(); };
  const known = () => Object.entries(message.parameters ?? {}).filter(([, parameter]) => parameter?.type in samples);

  /// What is given for a parameter, as an input has it.
  const given = (name, { type, default: standard, of }) => query.get(`arg.${name}`) ?? ((standard ?? null) !== null ? ''
    : isDate(type) ? new Date(Math.ceil(Date.now() / 36e5) * 36e5).toISOString() : of?.[0] ?? samples[type] ?? name);

  /// A control that the address keeps.
  const control = (label, name, element) => {
    element.value = query.get(name) ?? '';
    element.dataset.pointer = `/${name}`;
    element.addEventListener('input', () => { remember(name, element.value); again(); });
    return field(label, element);
  };
  const find = h('input', { type: 'search', placeholder: 'French, ar, Egypt' });
  const expanded = h('input', { type: 'checkbox', checked: query.get('expanded') === '1', onchange: () => {
    remember('expanded', expanded.checked ? 1 : '');
    draw();
  } });
  const counted = h('select');
  const countedField = control('Try all numbers in', 'counts', counted);
  const element = panel('Preview',
    h('datalist', { id: 'zones' }, Intl.supportedValuesOf('timeZone').map((value) => h('option', { value }))),
    h('div', { class: 'filters' },
      control('Build', 'app_version', select([['', 'newest'], ...catalogs.map(({ version }) => version)])),
      control('Who writes the text', 'localization', select(writers)),
      control('Platform', 'platform', select(Object.entries(platforms)
        .map(([value, name]) => [value === 'ios' ? '' : value, name]))),
      control('Time zone', 'time_zone', h('input', { list: 'zones', placeholder: 'UTC', size: 14 }))),
    inputs,
    h('div', { class: 'filters' }, control('Languages', 'find', find), countedField,
      h('label', { class: 'check' }, expanded, 'Expanded')),
    said, list);

  /// The inputs of the arguments, made anew when the parameters have changed.
  function drawInputs() {
    if (shape === (shape = JSON.stringify(message.parameters))) return;
    inputs.replaceChildren(...known().map(([name, parameter]) => {
      const { type, default: standard } = parameter;
      const value = given(name, parameter);
      const moment = isDate(type) && new Date(value);
      const keep = (value) => { remember(`arg.${name}`, value); again(); };
      const input = h('input', { type: moment ? 'datetime-local' : isNumber(type) ? 'number' : 'text',
        value: moment && +moment ? inputTime(moment) : value, step: 'any', dir: 'auto',
        placeholder: isObject(standard) ? 'a key' : standard, 'data-pointer': `/arguments/${name}`,
        oninput: () => keep(moment && input.value ? new Date(input.value).toISOString() : input.value) });
      return h('div', { class: 'argument' }, field(`${name} (${typeNames[type]})`, input), type === 'integer' &&
        h('div', { class: 'badges' }, [0, 1, 2, 5, 1_000_000].map((count) =>
          button(number(count), () => { input.value = count; keep(count); }, 'small',
            { 'aria-label': `${name}: ${count}` }))));
    }));
  }

  /// A card: how it reads, how large it is, what is odd about it.
  function card({ key, head, ...answer }) {
    const { language, chosen, mode, payload_bytes: bytes, problems, differs = [] } = answer;
    const state = answer.payload.aps?.['content-state'];
    const written = { lang: chosen ?? language, dir: 'auto' };
    const limit = mode === 'voip' ? 5120 : 4096;
    const odd = [...problems.map(meaning), bytes > limit * 0.9 && 'the push is nearly too large for APNs',
      differs.length > 0 && `a device shows another ${differs.join(' and ')} than the service writes`].filter(Boolean);
    return h('li', {},
      h('h3', {}, head ?? languageName(language), ' ', h('code', { class: 'quiet', dir: 'ltr' }, language)),
      notification({ ...answer, language: chosen ?? language, app: record.name, isExpanded: expanded.checked,
        attachment: message.mutable_content, actions: message.category && `Buttons that the app defines for ${message.category}` }),
      chosen && !isSameLanguage(chosen, language) && h('p', { class: 'hint' },
        `No ${languageName(language)} text: ${languageName(chosen)} is shown.`),
      isObject(state) && h('div', {}, h('p', { class: 'quiet' }, 'The Live Activity gets:'),
        facts(Object.entries(state).map(([name, value]) => [name, h('span', { ...written, class: 'text' },
          typeof value === 'string' ? value : JSON.stringify(value))]))),
      h('label', {}, `${number(bytes)} of ${number(limit)} bytes`,
        h('meter', { min: 0, max: limit, high: limit * 0.9, value: bytes })),
      odd.length > 0 && notice('warn', h('ul', {}, odd.map((text) => h('li', {}, text)))),
      h('details', { open: opened.has(key), ontoggle: ({ target }) => opened[target.open ? 'add' : 'delete'](key) },
        h('summary', {}, 'Payload'), code(pretty(answer.payload))));
  }

  function draw() {
    list.replaceChildren(...answers.map(card));
  }

  async function show(value, signal) {
    [message, outer] = [value, signal];
    drawInputs();
    asking.abort();
    asking = new AbortController();
    const signals = AbortSignal.any([signal, asking.signal]);
    const ask = (more) => post(['apps', app, 'preview'], { message, ...more }, {}, signals);
    const question = { time_zone: query.get('time_zone') || 'UTC', arguments: Object.fromEntries(
      known().map(([name, parameter]) => [name, argument(parameter.type, given(name, parameter))])) };
    for (const name of ['app_version', 'localization', 'platform']) question[name] = query.get(name) || undefined;
    question.app_version ??= newestBuild(catalogs)?.version;
    try {
      const { languages, app_version: version } = await ask(question);
      const all = languages.map(({ language }) => language);
      const { wanted, unknown } = languagesOf(find.value, all);
      const more = wanted.filter((tag) => !all.includes(tag));
      const others = more.length > 0 ? (await ask({ ...question, languages: more })).languages : [];
      const tags = [...all, ...others.map(({ language }) => language)];
      const integer = known().find(([, { type }]) => type === 'integer')?.[0];
      const one = integer && tags.find((tag) => tag === query.get('counts'));
      answers = !one ? [...languages.filter(({ language }) => wanted.includes(language)), ...others]
        .map((answer) => ({ key: answer.language, ...answer }))
        : await Promise.all(counts.map(async (count) => {
          const more = { languages: [one], arguments: { ...question.arguments, [integer]: count } };
          const { languages: [answer] } = await ask({ ...question, ...more });
          return { key: count, head: `${integer} = ${number(count)}`, ...answer };
        }));
      countedField.hidden = !integer;
      counted.replaceChildren(h('option', { value: '' }, 'choose a language'),
        ...tags.map((value) => h('option', { value }, languageName(value))));
      counted.value = one ?? '';
      said.replaceChildren(...unknown.length > 0
        ? [h('strong', {}, `No language matches ${unknown.map((name) => `“${name}”`).join(', ')}.`),
          ` The app has texts in ${all.map(languageName).join(', ')}.`]
        : [`${count(new Set(answers.map(({ language }) => language)).size, 'language')}, ${version ? `strings of build ${version}` : 'no catalog uploaded yet'}`]);
      mark(element, []);
      draw();
      rest();
      return [];
    } catch (error) {
      if (error.name === 'AbortError') return undefined;
      rest();
      const { errors = [] } = error;
      const inner = errors.filter(({ pointer }) => /^\/message(\/|$)/.test(pointer));
      mark(element, errors);
      said.replaceChildren(...inner.length > 0 ? ['The message has faults. This is the preview from before them.']
        : prose(error.message));
      if (errors.length === 0) return undefined;
      return inner.map((fault) => ({ ...fault, pointer: fault.pointer.slice('/message'.length) }));
    }
  }

  return { element, show, wait, rest };
}
