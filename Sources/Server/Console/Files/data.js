// Data in and out: exports, imports, and the removal of stale devices.

import { all, call, post } from './api.js';
import { asCSV } from './csv.js';
import { count, h, number } from './dom.js';
import { saving } from './filters.js';
import { words } from './json.js';
import { link } from './route.js';
import { badge, button, confirm, failure, field, heading, notice, panel, prose, select, table, toast }
  from './ui.js';

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson', jsonl: 'application/x-ndjson' };

export default async function data({ app, record, query, signal }) {
  const catalogs = await all(['apps', app, 'catalogs'], {}, signal);
  return [heading('Import and export', 'What the service keeps can be taken out, and brought in again.'),
    exports(app, query, catalogs), imports(app, signal), purge(app, record)];
}

function exports(app, query, catalogs) {
  const devices = ['apps', app, 'installations'];
  const filters = [...query].map((pair) => pair.join(': ')).join(', ');
  const version = select(catalogs.map((catalog) => catalog.version), catalogs[0]?.version, { onchange: offer });
  const strings = h('div');
  function offer() {
    strings.replaceChildren(saving('Strings as CSV', ['apps', app, 'catalogs', version.value, 'strings'], undefined,
      `strings ${version.value}.csv`));
  }
  offer();
  return panel('Export',
    h('p', {}, filters
      ? ['Devices with ', h('code', {}, filters), '. ', h('a', { href: link([app, 'data']) }, 'All devices')]
      : ['All devices, or ', h('a', { href: link([app, 'devices']) }, 'some of them'), '.']),
    h('div', { class: 'actions' }, saving('Devices as CSV', devices, () => query),
      saving('Devices as NDJSON', devices, () => query, 'installations.ndjson', 'application/x-ndjson'),
      saving('Failures as CSV', ['apps', app, 'failures']), saving('Audit log as CSV', ['apps', app, 'audit'])),
    catalogs.length > 0 && h('div', { class: 'filters' }, field('Catalog', version), strings));
}

function imports(app, signal) {
  const reset = () => {
    go.disabled = true;
    dry.disabled = input.files.length === 0;
    said.replaceChildren();
  };
  const input = h('input', { type: 'file', accept: '.json,.ndjson,.jsonl,.csv', onchange: reset });
  const dry = button('Try it first', () => run(true), 'primary', { disabled: true });
  const go = button('Import now', () => run(false), '', { disabled: true });
  const said = h('div', { class: 'shown', role: 'status' });

  async function run(isDry) {
    const [file] = input.files;
    const controls = [input, dry, go];
    for (const control of controls) control.disabled = true;
    said.replaceChildren(`${isDry ? 'Checking' : 'Importing'} ${number(Math.ceil(file.size / 1024))} kB. ` +
      'A large file takes minutes; stay on this page.');
    let isChecked = false;
    try {
      const response = await call('POST', ['apps', app, 'installations', 'import'], {
        query: { dry_run: isDry }, body: file, signal,
        headers: { 'Content-Type': types[file.name.split('.').pop().toLowerCase()] ?? 'application/json' },
      });
      said.replaceChildren(...outcome(await response.json(), isDry));
      isChecked = isDry;
    } catch (error) { said.replaceChildren(failure(error)); }
    for (const control of controls) control.disabled = false;
    go.disabled = !isChecked;
    (isChecked ? go : dry).focus();
  }

  const drop = h('div', { class: 'drop', ondragover: (event) => event.preventDefault(), ondrop: (event) => {
    event.preventDefault();
    if (input.disabled || event.dataTransfer.files.length === 0) return;
    input.files = event.dataTransfer.files;
    reset();
  } }, field('File', input, 'An export of Postilion: NDJSON, JSON or CSV, of any size; or drop it here.'));
  return panel('Import devices', drop,
    h('p', {}, 'Files of OneSignal, Parse and other services, and tables of your own, are read by the command line: ',
      h('code', {}, `postilion import FILE --app ${app} --format onesignal`), '.'),
    h('div', { class: 'actions' }, dry, go), said);
}

/// What became of the records, or would.
function outcome(summary, isDry) {
  const rows = [...summary.errors.map((row) => ({ what: 'rejected', ...row })),
    ...summary.ignored.map((row) => ({ what: 'left out', ...row }))].sort((one, other) => one.line - other.line);
  const csv = asCSV([['line', 'what', 'pointer', 'code', 'detail'],
    ...rows.map((row) => [row.line, row.what, row.pointer, row.code, row.detail])]);
  return [
    notice(summary.rejected > 0 ? 'warn' : 'good', h('p', {}, h('strong', {},
      `${count(summary.accepted, 'new device')}, ${number(summary.updated)} changed, ` +
      `${number(summary.unchanged)} unchanged, ${number(summary.rejected)} rejected. `),
    isDry ? 'This was a trial: nothing is stored yet.' : 'It is stored.')),
    ...rows.length === 0 ? [] : [
      table('Remarks', [
        { name: 'Line', numeric: true, cell: (row) => number(row.line) },
        { name: 'What', cell: ({ what }) => badge(what, what === 'rejected' ? 'bad' : 'warn') },
        { name: 'Field', cell: (row) => row.pointer && words(row.pointer) },
        { name: 'Why', cell: (row) => prose(row.detail) },
      ], rows.slice(0, 100)),
      h('div', { class: 'actions' }, h('a', { class: 'button', download: 'remarks.csv',
        href: `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}` }, `${count(rows.length, 'remark')} as CSV`)),
    ],
  ];
}

function purge(app, record) {
  const reset = () => { remove.disabled = true; said.replaceChildren(); };
  const days = h('input', { type: 'number', min: 1, max: 3650, required: true, oninput: reset,
    value: record.stale_after_days ?? 400 });
  const order = (dry_run) =>
    post(['apps', app, 'installations', 'purge'], { stale_after_days: Number(days.value) }, { dry_run });
  const said = h('div', { role: 'status' });
  const remove = button('Delete them…', async () => {
    if (!await confirm('Delete these devices?', `${said.textContent} This cannot be undone.`, 'Delete', app)) return;
    try {
      toast(`Deleted: ${count((await order(false)).installations, 'device')}.`);
      reset();
    } catch (error) { said.replaceChildren(failure(error)); }
  }, 'danger', { disabled: true });
  return panel('Delete stale devices', h('form', { class: 'filters', onsubmit: async (event) => {
    event.preventDefault();
    reset();
    try {
      const { installations, tokens } = await order(true);
      said.textContent = `${count(installations, 'device')} with ${count(tokens, 'token')} ` +
        `did not call for ${days.value} days.`;
      remove.disabled = installations === 0;
    } catch (error) { said.replaceChildren(failure(error)); }
  } }, field('Days without a call', days), h('button', { class: 'button' }, 'Count them'), remove), said);
}
