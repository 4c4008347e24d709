import { element, scrollingTable } from './elements.js';
import type { Mistake } from './texts.js';

/** What is wrong with a file, as a table by row and column. */
export function mistakesTable(caption: string, mistakes: readonly Mistake[]): HTMLElement {
  const rows = mistakes.map(({ row, column, message }) => [
    element('td', { class: 'number' }, row === undefined ? '' : String(row)),
    element('td', {}, column === 'file' ? 'the file' : element('code', {}, column)),
    element('td', {}, message),
  ]);
  return scrollingTable(caption, {}, ['Row', 'Column', 'What is wrong'], rows);
}
