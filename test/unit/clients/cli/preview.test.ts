import { expect, test } from '@jest/globals';

import { asking } from '../../../../src/clients/cli/preview.js';
import type { Output } from '../../../../src/clients/cli/terminal.js';

/** A terminal at which somebody answers, or nobody is. */
function terminalWith(answer: string | undefined, asked: string[] = []): Output {
  const ask = (question: string): Promise<string> => {
    asked.push(question);
    return Promise.resolve(answer!);
  };
  return { ...(answer !== undefined && { ask }) } as Output;
}

test.each(['y', 'Y', 'yes', 'YES'])('%j is a yes', async (answer) => {
  const asked: string[] = [];
  await asking(terminalWith(answer, asked), false)('Send the file?');
  expect(asked).toEqual(['Send the file? [y/N] ']);
});

test.each(['', 'n', 'no', 'yes, but', 'Y E S'])('%j is a no', async (answer) => {
  const answered = asking(terminalWith(answer), false)('Send the file?');
  await expect(answered).rejects.toMatchObject({ message: 'nothing was sent', exitCode: 1 });
});

test('a command that sends nothing has another word for it', async () => {
  const answered = asking(terminalWith('n'), false, 'nothing was written')('Write it?');
  await expect(answered).rejects.toMatchObject({ message: 'nothing was written', exitCode: 1 });
});

test('where nobody can be asked, the command fails and names the option', async () => {
  const asked = asking(terminalWith(undefined), false)('Send the file?');
  const message = 'there is nobody to ask: give --yes to go on';
  await expect(asked).rejects.toMatchObject({ message, exitCode: 2 });
});

test('--yes answers, and nobody is asked', async () => {
  const asked: string[] = [];
  await asking(terminalWith('n', asked), true)('Send the file?');
  await asking(terminalWith(undefined), true)('Send the file?');
  expect(asked).toEqual([]);
});
