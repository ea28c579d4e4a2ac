// Arguments of messages as inputs hold them, and the faults that stand beside inputs.

import { h } from './dom.js';
import { prose } from './ui.js';

/// By type of parameter, what stands in for an argument until there is one; a text has its name, a date the next hour.
export const samples = { string: null, integer: '2', decimal: '1.5', percent: '0.25', currency: '9.9', duration: '3900',
  date: null, relative_date: null, list: 'A, B, C', choice: null };
/// Types of parameters in words.
export const typeNames = { string: 'text', integer: 'whole number', decimal: 'number', percent: 'percentage',
  currency: 'amount of money', date: 'date or time', relative_date: 'time from now', duration: 'duration', list: 'list',
  choice: 'one of some words' };

/// Whether values of a type are moments.
export const isDate = (type) => type.endsWith('date');
/// Whether values of a type are numbers.
export const isNumber = (type) => Number(samples[type]) > 0;

/// What is written in an input, as a value of a type of parameter.
export function argument(type, text) {
  if (text === '') return undefined;
  if (type === 'list') return names(text);
  return isNumber(type) && Number.isFinite(Number(text)) ? Number(text) : text;
}

/// What stands between commas; `undefined` for nothing.
export const names = (text) => text.trim() ? text.split(',').map((name) => name.trim()) : undefined;

/// Marks the controls that errors are about, the nearest to each pointer, and says there what is wrong.
export function mark(root, errors) {
  const controls = [...root.querySelectorAll('[data-pointer]')];
  for (const control of controls) control.removeAttribute('aria-invalid');
  for (const old of root.querySelectorAll('.fault')) old.remove();
  for (const { pointer, detail } of errors) {
    let own = pointer, control;
    do control = controls.find(({ dataset }) => dataset.pointer === own);
    while (!control && own && ((own = own.slice(0, own.lastIndexOf('/'))), true));
    control?.setAttribute('aria-invalid', true);
    control?.closest('.field, .row, .part').append(h('p', { class: 'fault' }, prose(detail)));
  }
}
