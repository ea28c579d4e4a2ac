// What the problems of a rendering mean.

import { languageName } from './dom.js';

/// Problems in plain words, of those whose detail is no sentence.
const meanings = {
  key_not_in_localization: (language) => `${languageName(language)} lacks the key`,
  development_language_used: () => 'the text of the development language stands in',
  fallback_language_used: () => 'the fallback language of the message stands in',
  missing_key: (key) => `no language has the key ${key}; the text is left out`,
  key_shown: (key) => `the key ${key} has no text and is shown itself`,
  nearest_catalog_used: (version) => `the text is that of build ${version}`,
  missing_argument: (place) => `the message does not give the argument ${place} of the text`,
  argument_not_integer: (place) => `the text counts with ${place}, which is no whole number`,
  argument_not_number: (place) => `the text counts with ${place}, which is no number`,
  missing_plural_case: (place) => `there is no wording for this number: ${place}`,
  empty_text: (place) => (place === 'left out' ? 'the text is empty' : `the text in ${languageName(place)} is empty`),
  plural_entry: () => 'keys cannot carry a text that varies by number',
  argument_not_text: () => 'keys cannot carry an argument that is a number or a list',
  literal_text: () => 'there is no key: the text stands in the message',
  activity_starts_frequent: () => 'ten Live Activities began on the device within an hour, so it may start no more',
  text_truncated: () => 'the text is cut, as the push would be too large',
};

/// What a problem means, in a sentence without its end.
export const meaning = ({ code, detail, part }) => `${part ? `${part[0].toUpperCase()}${part.slice(1)}: ` : ''}${
  meanings[code]?.(detail) ?? (detail?.endsWith('.') ? detail.replaceAll('`', '') : `${code.replaceAll('_', ' ')}${detail ? `: ${detail}` : ''}`)}`;
