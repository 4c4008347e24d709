import { element } from './elements.js';
import type { Mistake } from './texts.js';

/** What is wrong with a file, as a table by row and column. */
export function mistakesTable(caption: string, mistakes: readonly Mistake[]): HTMLElement {
  const head = ['Row', 'Column', 'What is wrong'].map((title) =>
    element('th', { scope: 'col' }, title),
  );
  const rows = mistakes.map(({ row, column, message }) =>
    element(
      'tr',
      {},
      element('td', { class: 'number' }, row === undefined ? '' : String(row)),
      element('td', {}, column === 'file' ? 'the file' : element('code', {}, column)),
      element('td', {}, message),
    ),
  );
  return scrolling(
    caption,
    element(
      'table',
      {},
      element('caption', {}, caption),
      element('thead', {}, element('tr', {}, ...head)),
      element('tbody', {}, ...rows),
    ),
  );
}

/** A box that scrolls where its content is too wide or too long, also by keyboard. */
export function scrolling(label: string, content: Node): HTMLElement {
  return element(
    'div',
    { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': label },
    content,
  );
}
