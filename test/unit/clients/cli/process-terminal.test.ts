import { PassThrough } from 'node:stream';

import { expect, test } from '@jest/globals';

import { askOn } from '../../../../src/clients/cli/process-terminal.js';

/** Asks at a terminal at which these bytes are typed. */
function answerTo(typed: string): Promise<string> {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  output.resume();
  const answer = askOn(input, output, 'Send the file? [y/N] ');
  input.write(typed);
  return answer;
}

test('the answer is a line', async () => {
  expect(await answerTo(' yes \r')).toBe('yes');
});

test.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-C after a part of an answer', 'ye\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s interrupts the command', async (_, typed) => {
  const message = 'interrupted';
  await expect(answerTo(typed)).rejects.toMatchObject({ message, exitCode: 130 });
});
