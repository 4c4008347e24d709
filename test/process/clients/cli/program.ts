import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { COMPILED_ONCE } from '../../../support/machine/compile-cache.js';
import type { Outcome } from '../../../support/service/outcome.js';

const PROGRAM = fileURLToPath(new URL('../../../../dist/clients/cli/main.js', import.meta.url));

export interface Running {
  readonly process: ChildProcess;
  readonly outcome: Promise<Outcome>;
  /** Returns the standard error output so far. */
  err(): string;
}

/** Starts the built command line tool as a process without a terminal. */
export function startProgram(
  env: Record<string, string>,
  args: readonly string[],
  input?: string | Uint8Array,
): Running {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { PATH: process.env['PATH'], ...COMPILED_ONCE, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  // Ignores the error if the program ends before it has read everything.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const outcome = new Promise<Outcome>((resolve) => {
    child.on('close', (code) => {
      resolve({ code: code ?? -1, out, err });
    });
  });
  return { process: child, outcome, err: () => err };
}

/** Creates a temporary folder for files and states. */
export async function makeFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'custom-data-cli-test-'));
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}
