// Filters that live in the address, and the list below them.

import { download } from './api.js';
import { h, inputTime } from './dom.js';
import { link, note } from './route.js';
import { button, failure, field, toast } from './ui.js';

/// An input of a filter, with its value of the address.
export const filter = (query, name, attributes = {}) =>
  h('input', { name, ...attributes, value: query.get(name) ?? '' });

/// A form of filters and what they lead to. `controls`: elements, or pairs of a label and an input
/// with a name. `show(values, signal)` gives the elements for the values, which go into the address.
export async function filtered(place, controls, show, signal) {
  let present;
  const shown = h('div', { class: 'shown' });
  const form = h('form', { class: 'filters', autocomplete: 'off', onchange: () => update(),
    onsubmit: (event) => event.preventDefault() },
  controls.map((control) => Array.isArray(control) ? field(...control) : control));

  async function update() {
    present?.abort();
    const mine = present = new AbortController();
    const values = {};
    for (const { name, type, value } of form.elements) {
      if (name && value) values[name] = type === 'datetime-local' ? new Date(value).toISOString() : value;
    }
    note(link(place, values));
    let elements;
    try {
      elements = await show(values, AbortSignal.any([signal, mine.signal]));
    } catch (error) {
      elements = [failure(error, update)];
    }
    if (!mine.signal.aborted) shown.replaceChildren(...elements);
  }

  await update();
  return [form, shown];
}

const day = 864e5;
const periods = {
  Today: (now, midnight) => [midnight], Yesterday: (now, midnight) => [midnight - day, midnight],
  '24 hours': (now) => [now - day], '7 days': (now) => [now - 7 * day], '30 days': (now) => [now - 30 * day],
  'All time': () => [],
};

/// The filters of a period of time, in the time zone of the reader, with the usual ones as buttons.
export function period(query) {
  const inputs = ['since', 'until'].map((name) => h('input', { type: 'datetime-local', name,
    value: Date.parse(query.get(name)) ? inputTime(query.get(name)) : '' }));
  const choose = (times) => {
    const range = times(Date.now(), new Date().setHours(0, 0, 0, 0));
    inputs.forEach((input, index) => { input.value = range[index] ? inputTime(range[index]) : ''; });
    inputs[0].dispatchEvent(new Event('change', { bubbles: true }));
  };
  return [h('div', { class: 'presets', role: 'group', 'aria-label': 'Period' },
    Object.entries(periods).map(([text, times]) => button(text, () => choose(times), 'small'))),
  ['From', inputs[0]], ['Until', inputs[1]]];
}

/// A button that saves a list as a file; `query()` gives its present filters.
export const saving = (text, parts, query, name = `${parts.at(-1)}.csv`, type = 'text/csv') =>
  button(text, () => download(parts, query?.(), type, name).catch((error) => toast(error.message, { kind: 'bad' })));
