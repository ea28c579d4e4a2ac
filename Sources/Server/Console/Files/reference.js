// The search of the API reference: of the contents, what has all of the words is shown.

import { h } from './dom.js';

const contents = document.getElementById('contents');
const entries = [...contents.querySelectorAll('a')].map((link) => ({ link, text: link.textContent }));

// What stands behind an entry, up to the next one, belongs to it: the codes to "Problems".
const byPlace = new Map(entries.map((entry) => [entry.link.hash.slice(1), entry]));
let owner = entries[0];
for (const part of document.querySelectorAll('main > :not(h1)')) {
  owner = byPlace.get(part.id) ?? owner;
  owner.text += ` ${part.textContent}`;
}
for (const entry of entries) {
  entry.name = entry.link.textContent.toLowerCase();
  entry.text = entry.text.toLowerCase();
}

const field = h('input', {
  type: 'search', placeholder: 'Search', 'aria-label': 'Search the reference',
  'aria-keyshortcuts': '/', autocomplete: 'off', spellcheck: 'false', oninput: search,
  onkeydown: (event) => {
    if (event.key === 'Enter') (entries.find(({ link }) => link.classList.contains('named'))
      ?? entries.find((entry) => entry.isFound))?.link.click();
    if (event.key === 'Escape') { field.value = ''; search(); }
  },
});
const status = h('p', { role: 'status', class: 'quiet' });
contents.prepend(field, status);

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text) => words.every((word) => text.includes(word));
  for (const entry of entries) {
    entry.isFound = has(entry.text);
    entry.link.classList.toggle('named', words.length > 0 && has(entry.name));
  }
  const found = new Set(entries.filter((entry) => entry.isFound).map(({ link }) => link));
  for (const item of contents.querySelectorAll('li')) {
    item.hidden = ![...item.querySelectorAll('a')].some((link) => found.has(link));
  }
  for (const details of contents.querySelectorAll('details')) details.open = words.length > 0;
  status.textContent = words.length === 0 ? '' : found.size === 0 ? 'Nothing has these words.'
    : `${found.size} found`;
}

addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches('input, textarea')) return;
  event.preventDefault();
  field.focus();
});
