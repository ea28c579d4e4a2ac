// CSV that a person saves to open it in a spreadsheet.

/// Rows of cells as CSV (RFC 4180). What a spreadsheet would run as a formula gets an apostrophe in
/// front, by the rule of the service's own tables: `=1` → `'=1`, `a;=1` → `a;'=1`.
export const asCSV = (rows) => rows.map((cells) => cells.map(cell).join(',')).join('\r\n');

function cell(value) {
  const text = String(value);
  const safe = /^-[0-9]+$/.test(text) ? text
    : text.replace(/(^|[;|\t\r\n])([ "]*)(?=['=+\-@＝＋－＠])/g, "$1$2'").replace(/^(?=[\t\r\n])/, "'");
  return `"${safe.replaceAll('"', '""')}"`;
}
