import type { Figure } from './figure.js';

const HEADINGS: Readonly<Record<keyof Figure, string>> = {
  name: 'figure',
  goal: 'goal',
  measured: 'measured: median (spread)',
  outcome: 'outcome',
  detail: 'behind it',
};
const COLUMNS = Object.keys(HEADINGS) as (keyof Figure)[];

/** The figures as a Markdown table that can be pasted into a page as it is. */
export function tableOf(figures: readonly Figure[]): string {
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
