import type { Change, Example } from '../../csv/spreadsheet/detection.js';
import { element, scrollingTable } from './elements.js';

const OF_THE_FILE: Readonly<Record<Change['what'], string>> = {
  encoding: 'the text',
  separator: 'the separators',
  names: 'the column names',
  dates: 'dates',
  numbers: 'numbers',
};

/** What converting a file changes, as a table with examples. */
export function changesTable(fileName: string, changes: readonly Change[]): HTMLElement {
  const rows = changes.map(({ what, column, text, count, examples }) => {
    const more = count - examples.length;
    const lines = examples.map(exampleText);
    if (lines.length > 0 && more > 0) lines.push(`and ${more.toLocaleString('en')} more`);
    return [
      element('td', {}, column === null ? OF_THE_FILE[what] : element('code', {}, column)),
      element('td', {}, text),
      element('td', {}, ...lines.map((line) => element('div', {}, line))),
    ];
  });
  const caption = `What converting ${fileName} would change`;
  return scrollingTable(caption, {}, ['What', 'Change', 'Examples'], rows);
}

function exampleText({ row, before, after }: Example): string {
  return before === null ? `${after} (row ${row})` : `${before} → ${after} (row ${row})`;
}
