// Which languages somebody means who writes tags, or names of languages and countries.

import { languageName } from './dom.js';

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];

/// The codes of all countries; not former ones, such as `SU`.
const codes = letters.flatMap((first) => letters.map((second) => first + second))
  .filter((code) => countries.of(code) && new Intl.Locale(`und-${code}`).region === code);

/// A tag as the browser reads it, with its usual script and region; `undefined` for none, such as `Base`.
function full(tag) {
  try { return new Intl.Locale(tag.replaceAll('_', '-')).maximize(); } catch { return undefined; }
}

/// Whether two tags are of one language in one script, such as `ar` and `ar-EG`.
export function isSameLanguage(one, other) {
  const [left, right] = [full(one), full(other)];
  return one === other || Boolean(left && left.language === right?.language && left.script === right.script);
}

/// The tags of some languages as a country has them: `ar` and `EG` → `ar-EG`.
const within = (tags, code) => [...new Set(tags.filter(full).map((tag) =>
  new Intl.Locale(tag.replaceAll('_', '-'), { region: code }).toString()))];

/// The languages in which most people of countries read, if they are among `tags`.
const ofCountries = (test, tags) => codes.filter((code) => test(countries.of(code).toLowerCase()))
  .flatMap((code) => within(tags.filter((tag) => isSameLanguage(tag, `und-${code}`)), code));

/// What one name means: a tag or a name in full, then a part of one.
function meant(name, tags) {
  const text = name.toLowerCase().replaceAll('_', '-');
  const named = (test, tags) => tags.filter((tag) =>
    test(tag.toLowerCase().replaceAll('_', '-')) || test(languageName(tag).toLowerCase()));
  const isIt = (name) => name === text;
  const isTag = text.includes('-') && tags.some((tag) => isSameLanguage(tag, text));
  return [
    () => named(isIt, tags),
    () => ofCountries(isIt, tags),
    () => (isTag ? [new Intl.Locale(text).toString()] : []),
    () => named((name) => name.includes(text), tags),
    () => ofCountries((name) => name.startsWith(text), tags),
    () => named(isIt, codes.flatMap((code) => within(tags, code))),
  ].reduce((found, search) => found.length > 0 ? found : search(), []);
}

/// The languages of a list with commas: `French, ar-EG, Japan`. `tags` are those that the app has; an
/// empty list means all of them. `unknown` are the names that mean none.
export function languagesOf(list, tags) {
  // “Chinese (Simplified, China)” is one name.
  const names = list.split(/,(?![^(]*\))/).map((name) => name.trim()).filter(Boolean);
  const found = names.map((name) => meant(name, tags));
  return { wanted: names.length > 0 ? [...new Set(found.flat())] : tags,
    unknown: names.filter((_, index) => found[index].length === 0) };
}
