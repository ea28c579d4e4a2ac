// A notification as the lock screen of a device draws it.

import { h, isRightToLeft } from './dom.js';
import { badge } from './ui.js';

/// What the modes of a notification mean.
const modes = {
  server: ['finished text', 'The push has the text. The device shows it.'],
  client: ['keys', 'The push has keys. The device looks up the text in its app.'],
  local: ['local', 'The push is silent. The app makes a notification from it.'],
  voip: ['call', 'The push starts a call, and the app shows it.'],
};

/// Who may write the text, as a choice: whoever the message says, or one of the modes.
export const writers = [['', 'whoever the message says'], ['auto', 'the device, where its app has the text'],
  ['server', 'the service'], ['client', 'the device, wherever it can'], ['local', 'the service; the app shows it']];

/// The word for `now` in a language; in English for a language the browser does not know.
function now(language) {
  const format = (tag) => new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(0, 'second');
  try { return format(String(language).replaceAll('_', '-')); } catch { return format('en'); }
}

/// The drawing. `title`, `subtitle` and `body` may be left out; `language` is that of the texts.
/// `attachment` draws the place of an image, `actions` is a text or a list of texts for the buttons.
/// Long texts are cut as on a device, unless `isExpanded`; without `mode` there is no explanation,
/// and without a text none of where it comes from.
export function notification({ app, title, subtitle, body, language, mode, actions, attachment, time, isExpanded }) {
  const written = { lang: language, dir: isRightToLeft(language) ? 'rtl' : 'ltr' };
  const hasText = title || subtitle || body;
  return h('figure', { class: `notification${isExpanded ? ' expanded' : ''}` },
    h('div', { class: 'screen' },
      h('div', { class: 'bubble', ...written },
        h('span', { class: 'icon', 'aria-hidden': true }, [...app][0]?.toUpperCase()),
        h('div', { class: 'texts' },
          h('p', { class: 'app' }, h('span', { dir: 'auto' }, app), h('span', {}, time ?? now(language))),
          title && h('p', { class: 'title' }, title),
          subtitle && h('p', { class: 'subtitle' }, subtitle),
          body && h('p', { class: 'body' }, body),
          !hasText && h('p', { class: 'app', lang: 'en', dir: 'ltr' }, 'Nothing to read')),
        attachment && h('span', { class: 'attachment', role: 'img', lang: 'en', 'aria-label': 'An image of the app' })),
      actions && h('ul', { class: 'choices' }, [actions].flat().map((text) => h('li', {}, text)))),
    mode && (hasText || mode === 'local' || mode === 'voip') && h('figcaption', {}, badge(modes[mode][0]), ' ', modes[mode][1]));
}
