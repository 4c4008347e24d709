import { expect, test } from '@jest/globals';

import { tellAudit } from '../../../../src/clients/cli/audit.js';
import type { Output } from '../../../../src/clients/cli/terminal.js';
import { LogUnavailableError, type UploadLog } from '../../../../src/log/upload-log.js';

function hintsOf(): { terminal: Output; hints: string[] } {
  const hints: string[] = [];
  const terminal = { hint: (text: string) => hints.push(text) } as unknown as Output;
  return { terminal, hints };
}

const failing = (error: Error): UploadLog =>
  ({ append: () => Promise.reject(error) }) as unknown as UploadLog;

test('an action that is done does not fail because the log does not answer', async () => {
  const { terminal, hints } = hintsOf();
  const log = failing(new LogUnavailableError('away'));
  await tellAudit(log, terminal, 'replay-request', 'acme', 'r1');
  expect(hints).toEqual(['the log did not answer, so the audit may not show this\n']);
});

test('any other failure is thrown', async () => {
  const { terminal, hints } = hintsOf();
  const told = tellAudit(failing(new Error('broken')), terminal, 'replay-request', 'acme', 'r1');
  await expect(told).rejects.toThrow('broken');
  expect(hints).toEqual([]);
});
