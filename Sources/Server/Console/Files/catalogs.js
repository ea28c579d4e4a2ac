// The catalogs of an app, which are the string files of its builds: the list, and the upload of one.

import { Failure, address, buildsWithoutCatalog, get, session } from './api.js';
import { coverageOf, newestFirst, recentLanguages } from './coverage.js';
import { count, h, languageName, number, time } from './dom.js';
import { findingList, findings, tally } from './findings.js';
import { link } from './route.js';
import {
  action, badge, button, dialog, empty, failure, field, heading, notice, panel, prose, select, table,
} from './ui.js';

export default async function catalogs(page) {
  const { app, record, rest, query, signal } = page;
  if (rest[0]) return (await import('./catalog.js')).default(page);
  const [list, stats] = await Promise.all([
    newestFirst(app, signal), get(['apps', app, 'stats'], { max_age: 3600 }, signal),
  ]);
  const versions = new Set(list.map(({ version }) => version));
  const lacking = buildsWithoutCatalog(stats, list);
  const languages = new Set([record.development_language, ...list.flatMap((catalog) => catalog.languages)]);
  return query.has('upload') ? upload(page, versions, lacking, [...languages].filter(Boolean)) : overview(page, list, lacking);
}

const buildName = (build) => build.app_build ?? build.app_version;

// MARK: List

function overview({ app, signal }, list, lacking) {
  const uploadLink = (version) => link([app, 'catalogs'], { upload: 1, version });
  const recent = recentLanguages(list);
  const missing = new Map(list.map((catalog) => [catalog, h('span')]));
  const devices = (catalog) => {
    const slot = h('span', { class: 'counted' });
    const load = async () => {
      slot.textContent = '…';
      try {
        const coverage = await coverageOf(app, catalog, signal);
        slot.textContent = number(coverage.devices);
        missing.get(catalog).replaceChildren(h('span', {}, missingTexts(coverage)));
      } catch (error) {
        if (error.name === 'AbortError') return;
        slot.replaceChildren(button('Try again', load, 'small', { title: error.message }));
      }
    };
    if (list.indexOf(catalog) < 3) load();
    else slot.append(button('Count devices', load, 'small', { 'aria-label': `Count devices of ${catalog.version}` }));
    return slot;
  };
  return [
    heading('Catalogs', 'The texts of each build of the app.', action('Upload a catalog', uploadLink(), 'primary')),
    lacking.length > 0 && panel('Builds without a catalog',
      h('p', { class: 'quiet' }, 'Their devices get the texts of the nearest catalog.'),
      table('Builds without a catalog', [
        { name: 'Build', cell: (build) => build.app_build },
        { name: 'App version', cell: (build) => build.app_version },
        { name: 'Devices', numeric: true, cell: (build) => number(build.devices) },
        { name: h('span', { class: 'hidden' }, 'What to do'), numeric: true, cell: (build) =>
          action('Upload its strings', uploadLink(buildName(build)), 'small') },
      ], lacking)),
    list.length === 0
      ? empty('There is no catalog yet.', h('p', {}, 'Upload the .lproj folders, the string catalogs or an export of '
        + 'localizations from Xcode. Then Postilion knows the texts of your app.'))
      : panel('Uploaded', table('Catalogs, the last upload first', [
        { name: 'Version', cell: ({ version }) => h('a', { href: link([app, 'catalogs', version]) }, version) },
        { name: 'Languages', cell: ({ version, languages }) => {
          const lacks = version === 'server' ? [] : recent.filter((tag) => !languages.includes(tag));
          return [h('span', { title: languages.map(languageName).join(', ') },
            languages.slice(0, 8).join(', '), languages.length > 8 && ` and ${languages.length - 8} more`),
          lacks.length > 0 && [' ', badge(`lacks ${lacks.map(languageName).join(', ')}`, 'warn')]];
        } },
        { name: 'Keys', numeric: true, cell: (catalog) => number(catalog.key_count) },
        { name: 'Missing texts', cell: (catalog) => missing.get(catalog) },
        { name: 'Findings', cell: findings },
        { name: 'Uploaded', cell: (catalog) => time(catalog.created_at) },
        { name: 'Devices', numeric: true, cell: devices },
      ], list)),
  ].filter(Boolean);
}

/// How many texts which languages lack: `English 1, French 1 and 2 more languages`.
function missingTexts({ languages }) {
  const lacking = languages.filter(({ missing }) => missing > 0);
  const shown = lacking.slice(0, 3).map(({ language, missing }) => `${languageName(language)} ${number(missing)}`).join(', ');
  const rest = lacking.length - 3;
  return lacking.length === 0 ? [badge('none', 'good')]
    : [badge(count(lacking.length, 'language'), 'warn'), ' ', shown, rest > 0 && ` and ${count(rest, 'more', 'more')}`];
}

// MARK: Upload

/// What the service takes: bytes and files of an upload.
const maximum = { bytes: 32 * 2 ** 20, files: 2000 };

const formats = /\.(xcstrings|strings|stringsdict|xliff|xlf|zip)$/i;

function upload({ app, query, signal }, versions, lacking, languages) {
  /// The chosen files by `path`: `read()` gives the file, `bytes` are those that were sent last. Of one
  /// that came without the folder that names its language, `bare` is the path as it came.
  let files = [];
  let leftOut = 0;
  let isSending = false;
  const version = h('input', { required: true, maxlength: 64, pattern: '[^\\/]+', autocomplete: 'off',
    spellcheck: 'false', list: 'versions', value: query.get('version') ?? '', oninput: () => say() });
  const inputs = { files: h('input', { type: 'file', multiple: true, hidden: true }),
    folder: h('input', { type: 'file', webkitdirectory: true, hidden: true }) };
  const choose = button('Choose files', () => inputs.files.click());
  const zone = h('div', { class: 'drop' },
    h('p', {}, h('strong', {}, 'Drop files, folders or a .zip here')),
    h('p', { class: 'quiet' }, '.strings, .stringsdict, .xcstrings or .xliff, at most 32 MB and 2,000 files. If you have more, make one .zip. '
      + 'Other files are left out.'),
    h('div', { class: 'actions' }, choose, button('Choose a folder', () => inputs.folder.click())),
    Object.values(inputs));
  const chosen = h('div', { class: 'chosen' });
  const said = h('p', { class: 'quiet', role: 'status' });
  const bar = h('progress', { max: 1, 'aria-label': 'Upload', hidden: true });
  const send = h('button', { class: 'button primary' }, 'Upload');
  const result = h('div', { class: 'result' });

  function say(text) {
    const bytes = files.reduce((sum, file) => sum + file.size, 0);
    // A part of a form has some bytes beside the file.
    const isTooLarge = bytes + files.length * 300 > maximum.bytes || files.length > maximum.files;
    const unnamed = files.filter(({ path }) => lacksFolder(path));
    const last = new Map(files.map((file) => [file.path, file]));
    const twice = files.find((file) => last.get(file.path) !== file);
    send.disabled = isSending || isTooLarge || files.length === 0 || unnamed.length > 0 || Boolean(twice);
    said.textContent = text ?? [
      unnamed.length > 0 && `First choose the language of ${unnamed.length === 1 ? unnamed[0].path : count(unnamed.length, 'file')}`,
      twice && `${twice.path} is in the list twice: remove one of them`,
      isTooLarge && 'This is more than an upload takes: put the files into one .zip',
      files.length > 0 && `${count(files.length, 'file')}, ${size(bytes)}`,
      leftOut > 0 && `${count(leftOut, 'other file')} left out`,
      files.length > 0 && versions.has(version.value.trim()) && `there is a catalog ${version.value.trim()} already`,
    ].filter(Boolean).join(' · ');
  }

  function show() {
    chosen.replaceChildren(...(files.length === 0 ? [] : [table('The chosen files', [
      { name: 'File', cell: (file) => {
        const path = h('code', { dir: 'ltr' }, file.path);
        return [path, ' ', file.errors > 0 && badge(count(file.errors, 'error'), 'bad'),
          file.bare && languageOf(file, languages, () => {
            path.textContent = file.path;
            result.replaceChildren();
            say();
          })];
      } },
      { name: 'Size', numeric: true, cell: (file) => size(file.size) },
      { name: h('span', { class: 'hidden' }, 'Remove'), numeric: true, cell: (file) => button('Remove', () => {
        files = files.filter((other) => other !== file);
        result.replaceChildren();
        show();
        choose.focus();
      }, 'small', { 'aria-label': `Remove ${file.path}` }) },
    ], [...files].sort((one, other) => one.path < other.path ? -1 : 1))]));
    say();
  }

  /// Takes files. One that is in the list already takes the place of that one, with the longer path.
  async function add(found) {
    const taken = found.filter(({ path }) => formats.test(path));
    const sizes = await Promise.all(taken.map(async (file) => (await file.read()).size));
    leftOut += found.length - taken.length;
    const known = new Set(files);
    for (const [index, file] of taken.entries()) {
      const old = sameFile(file, [...known]);
      const { path, bare } = old && old.path.length > file.path.length ? old
        : { ...file, bare: lacksFolder(file.path) ? file.path : undefined };
      known.delete(old);
      files = [...files.filter((other) => other !== old), { ...file, path, bare, language: old?.language, size: sizes[index] }];
    }
    result.replaceChildren();
    show();
  }

  for (const input of Object.values(inputs)) {
    input.addEventListener('change', () => {
      add([...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, read: async () => file })));
      input.value = '';
    });
  }
  for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) {
    zone.addEventListener(type, (event) => {
      event.preventDefault();
      zone.classList.toggle('over', type === 'dragenter' || type === 'dragover');
    });
  }
  zone.addEventListener('drop', async ({ dataTransfer }) => {
    const entries = [...dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);
    try {
      await add((await Promise.all(entries.map((entry) => filesOf(entry)))).flat());
    } catch (error) { result.replaceChildren(failure(error)); }
  });

  async function submit(event) {
    event.preventDefault();
    const name = version.value.trim();
    const isThere = versions.has(name);
    const sent = new Map(files.map((file) => [file.path, file]));
    isSending = true;
    say('Reading the files…');
    result.replaceChildren();
    try {
      const form = new FormData();
      for (const file of files) {
        file.errors = 0;
        file.lines = undefined;
        file.bytes = await bytesOf(file);
        form.append('file', new Blob([file.bytes]), file.path);
      }
      bar.hidden = false;
      const store = (method, options) => sendForm(method, ['apps', app, 'catalogs', name], form, options, signal, (share) => {
        if (share < 1) bar.value = share; else bar.removeAttribute('value');
        say(share < 1 ? 'Uploading…' : 'The service is reading the files…');
      });
      const method = isThere ? await ask(name, await store('PUT', { isTrial: true })) : 'PUT';
      if (!method) return;
      const catalog = await store(method, { mustBeNew: !isThere });
      versions.add(name);
      result.replaceChildren(
        stored(name, catalog,
          action('Open the catalog', link([app, 'catalogs', name]))),
        findingList(catalog.diagnostics.slice(0, 200), sent));
      files = [];
      leftOut = 0;
    } catch (error) {
      if (error.name === 'AbortError') return;
      if (error.status === 412) versions.add(name);
      const places = error.errors?.map(({ pointer, code, detail }) => {
        const [, file, line, column] = /^(.*):(\d+):(\d+)$/s.exec(pointer) ?? [null, pointer, 1, 1];
        if (sent.has(file)) sent.get(file).errors += 1;
        return { file, line: Number(line), column: Number(column), code, message: detail, severity: 'error' };
      }) ?? [];
      result.replaceChildren(...(places.length === 0 ? [failure(error)] : [
        h('div', { class: 'notice bad', role: 'alert' }, h('strong', {}, prose(error.message)),
          h('p', {}, 'Correct the files, and choose them again: they replace the ones in the list. Then upload again.')),
        findingList(places, sent)]));
    } finally {
      bar.hidden = true;
      isSending = false;
      show();
      result.scrollIntoView({ block: 'nearest' });
    }
  }

  show();
  return [
    heading('Upload a catalog', 'The string files of one build, with their folders as in the Xcode project.',
      action('All catalogs', link([app, 'catalogs']))),
    h('form', { class: 'panel', onsubmit: submit },
      field('Version', version, 'The build (CFBundleVersion) that devices report, or their app version. '
        + '“server” for texts that belong to no build.'),
      h('datalist', { id: 'versions' }, [...lacking.map(buildName), ...versions]
        .map((value) => h('option', { value }))),
      zone, chosen, h('div', { class: 'sending' }, said, bar), h('div', { class: 'actions' }, send)),
    result,
  ];
}

/// What became of an upload: green only if there is nothing to say about its files.
function stored(name, { languages, key_count: keys, diagnostics, entries_left_out: leftOut }, ...children) {
  const found = tally(diagnostics);
  return notice(found ? 'warn' : 'good',
    h('strong', {}, `Stored as ${name}`, leftOut > 0
      ? `, but ${count(leftOut, 'text')} could not be read` : found && `, with ${found}`),
    h('p', {}, `${count(languages.length, 'language')}, ${count(keys, 'key')}`, found && `, ${found}`, '.'),
    leftOut > 0 && h('p', {}, 'People get another text instead, as if the key were missing in this language.'),
    children);
}

/// Asks how files go into a catalog that is there, naming what it would lose: by `PUT` or `PATCH`.
const ask = (name, { removed_languages: languages, removed_keys: keys, removed_key_count: keyCount }) =>
  dialog(`Replace ${name}?`, (close) => {
    const listed = keys.slice(0, 10).map(({ key }) => h('li', {}, h('code', { dir: 'auto' }, key)));
    const losses = [
      languages.length > 0 && h('p', {}, h('strong', {}, `${count(languages.length, 'language')} would be lost: `),
        languages.map(languageName).join(', '), '.'),
      keyCount > 0 && [h('p', {}, h('strong', {}, `${count(keyCount, 'key')} would be lost:`)),
        h('ul', {}, listed, keyCount > listed.length && h('li', {}, `and ${number(keyCount - listed.length)} more`))],
    ].filter(Boolean);
    return [
      h('p', {}, 'Devices of this build get the new texts at once.'),
      losses.length > 0 ? notice('bad', losses) : h('p', {}, 'No language and no key is removed.'),
      h('p', { class: 'quiet' }, '“Update these, keep the rest” keeps all other files of the catalog. “Replace everything” removes them.'),
      h('div', { class: 'actions' }, button('Cancel', () => close()),
        button('Update these, keep the rest', () => close('PATCH'), losses.length > 0 ? 'primary' : ''),
        button('Replace everything', () => close('PUT'), losses.length > 0 ? 'danger' : 'primary')),
    ];
  });

/// Bytes for people: `3.1 kB`.
const size = (bytes) => bytes < 1000 ? `${bytes} B`
  : bytes < 1e6 ? `${number(Math.round(bytes / 100) / 10)} kB` : `${number(Math.round(bytes / 1e5) / 10)} MB`;

/// The file of a list that another one stands for: the one with its path, the only one whose path
/// ends as its does, or the only one of these with errors. One that lacks the folder of its language
/// may be in another language: it only stands for one with errors.
function sameFile({ path }, files) {
  const alike = files.filter((file) => file.path.endsWith(`/${path}`) || path.endsWith(`/${file.path}`));
  const faulty = alike.filter(({ errors }) => errors > 0);
  const same = lacksFolder(path) ? undefined : files.find((file) => file.path === path) ?? (alike.length === 1 ? alike[0] : undefined);
  return same ?? (faulty.length === 1 ? faulty[0] : undefined);
}

/// Language tags as people may write them.
const languageTag = /^(Base|[a-z]{2,3}([-_][a-z0-9]{1,8})*)$/i;

/// `French (fr)`; the tag itself when it has no name.
const fullName = (tag) => languageName(tag) === tag ? tag : `${languageName(tag)} (${tag})`;

/// The choice of the language of a file that came without the folder that names it; it then gets a
/// path with this folder.
function languageOf(file, languages, onchange) {
  const set = (language) => {
    file.language = language;
    file.path = languages.includes(language) || languageTag.test(language)
      ? `${language}.lproj/${file.bare.split('/').at(-1)}`
      : file.bare;
    onchange();
  };
  const isOther = Boolean(file.language) && !languages.includes(file.language);
  const tag = h('input', { maxlength: 58, autocomplete: 'off', spellcheck: 'false', value: isOther ? file.language : '',
    oninput: () => set(tag.value.trim()) });
  const typed = field('Language tag', tag, 'Such as fr, or pt-BR for Brazilian Portuguese.');
  typed.hidden = !isOther;
  const choice = select([['', 'Choose a language'], ...languages.map((language) => [language, fullName(language)]), ['other', 'Another language']],
    isOther ? 'other' : file.language, { onchange: () => {
    typed.hidden = choice.value !== 'other';
    set(typed.hidden ? choice.value : tag.value.trim());
  } });
  return [field('Language of this file', choice), typed];
}

/// Whether a file lacks the folder that names its language.
const lacksFolder = (path) => /\.strings(dict)?$/i.test(path) && !/\.lproj\//i.test(path);

/// The files of something dropped, with their paths. They can be read anew after they were mended.
async function filesOf(entry, folder = '') {
  const path = folder + entry.name;
  if (entry.isFile) return [{ path, read: () => new Promise((resolve, reject) => entry.file(resolve, reject)) }];
  if (entry.name.startsWith('.')) return [];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (entries.length === 0) return found;
    for (const child of entries) found.push(...await filesOf(child, `${path}/`));
  }
}

async function bytesOf({ path, read }) {
  try {
    return await (await read()).arrayBuffer();
  } catch {
    throw new Failure(0, { detail: `${path} has changed since it was chosen. Add it again.` });
  }
}

/// Sends a form, telling how much of it is sent, which `fetch` does not.
function sendForm(method, parts, form, { isTrial, mustBeNew }, signal, onshare) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const failed = (status, problem, wait) => reject(new Failure(status, problem, wait));
    request.open(method, address(parts, { dry_run: isTrial }));
    request.setRequestHeader('Authorization', `Bearer ${session.key}`);
    if (mustBeNew) request.setRequestHeader('If-None-Match', '*');
    request.responseType = 'json';
    request.upload.onprogress = ({ loaded, total }) => onshare(loaded / total);
    request.upload.onload = () => onshare(1);
    request.onload = () => {
      const { status, response } = request;
      if (status < 400) return resolve(response);
      failed(status, response ?? {}, request.getResponseHeader('Retry-After'));
      if (status === 401) dispatchEvent(new CustomEvent('signedout', { detail: new Failure(status, response ?? {}) }));
    };
    request.onerror = () => failed(0, { detail: 'The service cannot be reached, or it ended the upload.' });
    request.onabort = () => reject(new DOMException('The page was left.', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.send(form);
  });
}
