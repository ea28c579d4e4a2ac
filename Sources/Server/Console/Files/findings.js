// Findings in the files of a catalog: their numbers, and a list of them with the lines of the files.

import { count, h } from './dom.js';
import { badge, prose } from './ui.js';

/// The numbers of errors and of warnings, each but 0: `['error', '1 error']`.
const counts = (diagnostics) => ['error', 'warning'].map((word) => [word, diagnostics.filter(({ severity }) => severity === word).length])
  .filter(([, number]) => number > 0).map(([word, number]) => [word, count(number, word)]);

/// Errors and warnings as badges.
export const findings = ({ diagnostics }) => diagnostics.length === 0
  ? badge('none', 'good')
  : counts(diagnostics).map(([severity, text]) => [badge(text, kinds[severity]), ' ']);

/// Errors and warnings in words: `1 error and 2 warnings`; nothing if there are none.
export const tally = (diagnostics) => counts(diagnostics).map(([, text]) => text).join(' and ');

/// How a badge looks, by severity.
const kinds = { error: 'bad', warning: 'warn' };

/// Findings that mean a file as a whole: no line of it would explain them.
const ofWholeFiles = new Set(['', 'invalid_path', 'no_localization', 'unsupported_format',
  'empty_file', 'limit_exceeded', 'more_diagnostics', 'second_byte_order_mark', 'missing_byte_order_mark',
  'encoding_mismatch']);

/// Findings, each with its line where the file is known.
export const findingList = (diagnostics, files = new Map()) => h('ol', { class: 'findings' }, diagnostics.map((finding) => {
  const { file, line, column, code, message, severity } = finding;
  const text = ofWholeFiles.has(code) ? undefined : linesOf(files.get(file))?.[line - 1];
  return h('li', { class: 'panel' },
    h('p', { dir: 'ltr' }, badge(severity, kinds[severity]), ' ', prose(message)),
    file && h('p', { class: 'quiet' }, h('code', { dir: 'ltr' }, file), `, line ${line}, column ${column}`),
    text !== undefined && excerpt(text, line, column));
}));

/// The lines of a file that was sent; none of an archive or a binary property list.
function linesOf(file) {
  if (!file || /\.zip$/i.test(file.path)) return undefined;
  if (!file.lines) {
    const [first, second] = new Uint8Array(file.bytes);
    const mark = first << 8 | second;
    const encoding = { 0xfffe: 'utf-16le', 0xfeff: 'utf-16be' }[mark] ?? 'utf-8';
    const text = new TextDecoder(encoding).decode(file.bytes);
    file.lines = text.startsWith('bplist') ? [] : text.split(/\r\n|\n|\r/);
  }
  return file.lines;
}

/// A line of a file with a caret under a column, which counts Unicode scalars; of a long line what
/// is around it.
function excerpt(text, line, column) {
  const scalars = [...text];
  const at = column - 1;
  const [start, end] = [Math.max(0, at - 60), at + 60];
  return h('pre', { class: 'excerpt', dir: 'ltr' }, h('span', { class: 'quiet' }, `${line}  ${start > 0 ? '…' : ''}`),
    scalars.slice(start, at).join(''), h('mark', {}, scalars[at] ?? ' '), scalars.slice(at + 1, end).join(''),
    end < scalars.length && h('span', { class: 'quiet' }, '…'));
}
