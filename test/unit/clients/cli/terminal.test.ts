import { expect, test } from '@jest/globals';

import { outputOf, textOfLines } from '../../../../src/clients/cli/terminal.js';

test('a text has no control characters of a file, which a terminal would obey', () => {
  let out = '';
  const terminal = { env: {}, out: (text: string) => (out += text), hint: () => undefined };
  const output = outputOf(terminal, () => false);
  output.result({}, 'a\u001b]0;x\u0007\u009b2J\r\u007f\tb ü\n');
  output.results([{}], ['head'], () => ['\u001b[2J']);
  expect(out).toBe('a\ufffd]0;x\ufffd\ufffd2J\ufffd\ufffd\tb ü\nhead\n\ufffd[2J\n');
});

test('a line break or a tab of a file is shown as its escape, so that a line stays one', () => {
  let out = '';
  const terminal = { env: {}, out: (text: string) => (out += text), hint: () => undefined };
  const rows = [
    ['a\nb', 'x'],
    ['c\td\r', 'y'],
  ];
  outputOf(terminal, () => false).results(rows, ['head', 'two'], (row) => row);
  expect(out).toBe('head    two\na\\nb    x\nc\\td\\r  y\n');
  expect(textOfLines(['a\n', 'b'])).toBe('a\\n\nb\n');
});
