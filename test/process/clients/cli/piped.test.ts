import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect, test } from '@jest/globals';

const TERMINAL = new URL('../../../../dist/clients/cli/process-terminal.js', import.meta.url);
const COMMAND = fileURLToPath(new URL('../../../../dist/clients/cli/main.js', import.meta.url));
/** More than a pipe holds. */
const LENGTH = 1_000_000;
const PROGRAM = `
  import { end, processTerminal } from '${TERMINAL.href}';
  const terminal = processTerminal();
  terminal.out('x'.repeat(${LENGTH}));
  terminal.hint('all of it');
  await end(0);`;

/** Runs a line of bash; the code is that of the first program that fails. */
function bash(line: string, ...args: readonly string[]) {
  const all = ['-o', 'pipefail', '-c', line, process.execPath, ...args];
  const { status, stdout, stderr } = spawnSync('bash', all, { encoding: 'utf8', timeout: 60_000 });
  return { status, stdout: stdout.trim(), stderr };
}

test('a slow reader gets all of the output', () => {
  const line = '"$0" --input-type=module --eval "$1" | (sleep 0.5; wc -c)';
  expect(bash(line, PROGRAM)).toEqual({
    ...{ status: 0, stdout: String(LENGTH), stderr: 'all of it' },
  });
});

test('a reader that leaves ends no command', () => {
  const line = '"$0" --input-type=module --eval "$1" | head -c 3';
  expect(bash(line, PROGRAM)).toEqual({ status: 0, stdout: 'xxx', stderr: 'all of it' });
});

test('a command ends with its code when nobody reads', () => {
  expect(bash('"$0" "$1" --help | true', COMMAND).status).toBe(0);
  expect(bash('"$0" "$1" nonsense 2>&1 | true', COMMAND).status).toBe(2);
});
