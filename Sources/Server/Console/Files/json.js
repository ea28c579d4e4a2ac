// JSON as people edit it: where its parts are, what is wrong with it, what differs.

import { pretty } from './dom.js';

/// Whether a value is an object in braces.
export const isObject = (value) =>
  Boolean(value) && typeof value === 'object' && !Array.isArray(value) && !JSON.isRawJSON?.(value);

/// The value of a JSON text. A number of more digits than JavaScript has keeps them, in browsers that can.
export const exact = (text) => JSON.parse(text, (_, value, context) => {
  const source = typeof value === 'number' ? context?.source : undefined;
  return source?.length > 15 && String(value) !== source && JSON.rawJSON ? JSON.rawJSON(source) : value;
});

const string = /("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")\s*/y;
const scalar = /(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\s*/y;

/// The value of a JSON text, and the offset of each part by its JSON Pointer. An error has its `offset`, too.
export function parse(text) {
  const offsets = new Map();
  let at = text.length - text.trimStart().length;
  const match = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found?.[1];
  };
  const fail = (expected) => {
    const lines = text.slice(0, at).split('\n');
    throw Object.assign(new Error(`Line ${lines.length}, column ${lines.at(-1).length + 1}: expected ${expected}, ${
      at < text.length ? `found ${text[at]}` : 'but the text ends'}.`), { offset: at });
  };
  const items = (end, item) => {
    if (match(end)) return;
    let index = 0;
    do item(index++); while (match(/(,)\s*/y));
    if (!match(end)) fail('a comma or the closing bracket');
  };
  const value = (pointer) => {
    offsets.set(pointer, at);
    if (match(/(\{)\s*/y)) {
      items(/(\})\s*/y, () => {
        const name = JSON.parse(match(string) ?? fail('a name in double quotes'));
        if (!match(/(:)\s*/y)) fail('a colon');
        value(`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
      });
    } else if (match(/(\[)\s*/y)) items(/(\])\s*/y, (index) => value(`${pointer}/${index}`));
    else if (!match(string) && !match(scalar)) fail('a value');
  };
  value('');
  if (at < text.length) fail('nothing more');
  return { value: exact(text), offsets };
}

/// `/alert/body` → `alert → body`.
export const words = (pointer) => pointer.slice(1).split('/')
  .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join(' → ') || 'message';

/// JSON with the names in order: equal for equal values.
export const canonical = (value) => pretty(sorted(value));

/// Its lines, without the commas at their ends.
export const lines = (value) => canonical(value).replace(/,$/gm, '').split('\n');

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]));
}

/// Two lists of lines as one, each line with `-` (only before), `+` (only after) or a space.
export function difference(old, now) {
  const [head, tail] = [[], []];
  while (old.length > 0 && old[0] === now[0]) { head.push([' ', old.shift()]); now.shift(); }
  while (old.length > 0 && old.at(-1) === now.at(-1)) { tail.unshift([' ', old.pop()]); now.pop(); }
  // The length of the longest common rest, for each pair of lines.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      common[i][j] = old[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && old[i] === now[j]) { head.push([' ', old[i++]]); j += 1; }
    else if (j >= now.length || (i < old.length && common[i + 1][j] >= common[i][j + 1])) head.push(['-', old[i++]]);
    else head.push(['+', now[j++]]);
  }
  return [...head, ...tail];
}
