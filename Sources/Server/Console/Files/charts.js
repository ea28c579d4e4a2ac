// Plots, each with its numbers as a table behind it.

import { h, number, percent, svg } from './dom.js';

/// Counts by day as bars: `series` are `{name, kind, days: [{day, count}]}` of the same days.
export function days(title, series) {
  const dates = series[0].days.map((entry) => entry.day);
  const width = 720, height = 120, gap = 2;
  const step = width / dates.length;
  const plots = series.map(({ name, kind, days }) => {
    const total = days.reduce((sum, entry) => sum + entry.count, 0);
    const top = Math.max(1, ...days.map((entry) => entry.count));
    return h('figure', { class: `plot ${kind}` },
      h('figcaption', {}, h('span', {}, name), h('strong', {}, number(total))),
      svg('svg', { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', role: 'img',
        'aria-label': `${name}: ${number(total)} in ${dates.length} days, at most ${number(top)} a day` },
        days.map(({ day, count }, index) => {
          const size = count === 0 ? 1 : Math.max(3, count / top * height);
          return svg('rect', { x: index * step + gap / 2, y: height - size, width: step - gap, height: size,
            class: count === 0 ? 'zero' : null }, svg('title', {}, `${day}: ${number(count)}`));
        })),
      h('p', { class: 'axis', 'aria-hidden': true }, h('span', {}, dates[0]), h('span', {}, `at most ${number(top)}`),
        h('span', {}, dates.at(-1))));
  });
  return h('div', { class: 'plots' }, plots,
    h('details', {}, h('summary', {}, `${title} as a table`),
      h('div', { class: 'table' }, h('table', {},
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Day'),
          series.map(({ name }) => h('th', { scope: 'col', class: 'numeric' }, name)))),
        h('tbody', {}, dates.map((day, index) => h('tr', {}, h('th', { scope: 'row' }, day),
          series.map(({ days }) => h('td', { class: 'numeric' }, number(days[index].count))))))))));
}

/// Values by size: a table with a bar in each row. Rows: `{label, count, href}`.
export function shares(caption, rows, total = rows.reduce((sum, row) => sum + row.count, 0)) {
  return h('div', { class: 'table shares' }, h('table', {},
    h('caption', { class: 'hidden' }, caption),
    h('thead', { class: 'hidden' }, h('tr', {}, ['Value', 'Share', 'Count'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, rows.map(({ label, count, href }) => h('tr', {},
      h('th', { scope: 'row' }, href ? h('a', { href }, label) : label),
      h('td', {}, svg('svg', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', role: 'img',
        'aria-label': percent(count / total) },
        svg('rect', { class: 'track', width: 100, height: 8 }),
        svg('rect', { width: total ? Math.max(0.6, count / total * 100) : 0, height: 8 }))),
      h('td', { class: 'numeric' }, number(count)))))));
}
