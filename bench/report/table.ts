import type { Figure } from './figure.js';

const HEADINGS = {
  name: 'figure',
  goal: 'goal',
  measured: 'measured: median (spread)',
  outcome: 'outcome',
  detail: 'behind it',
} as const;
const COLUMNS = Object.keys(HEADINGS) as (keyof typeof HEADINGS)[];

/** The figures as Markdown that can be pasted into a page as it is: one table, then one for each summary. */
export function tablesOf(figures: readonly Figure[]): string {
  const summaries = figures.filter(({ parts }) => parts !== undefined);
  return [
    tableOf(figures),
    ...summaries.map(({ name, parts }) => `### ${name}\n\n${tableOf(parts!)}`),
  ].join('\n\n');
}

function tableOf(figures: readonly Figure[]): string {
  const rows = [
    COLUMNS.map((column) => HEADINGS[column]),
    ...figures.map((figure) => COLUMNS.map((column) => figure[column])),
  ];
  const widths = COLUMNS.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const lines = rows.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`,
  );
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [lines[0]!, rule, ...lines.slice(1)].join('\n');
}
