import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { COMPILED_ONCE } from '../machine/compile-cache.js';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** What `npx custom-data` runs. It is quicker, and works in every folder. */
export const TOOL = `"${process.execPath}" "${ROOT}dist/clients/cli/main.js"`;

const LIMIT_MS = 60_000;

/** The commands of a block, one a line. */
export function commandsOf(block: string): string[] {
  return block
    .replace(/\\\n */g, '')
    .split('\n')
    .filter((line) => line !== '');
}

/** The commands of a `console` block, each with what it prints according to the page. */
export function stepsOf(block: string): { readonly command: string; readonly output: string }[] {
  return block
    .replace(/\\\n */g, '')
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [command, ...output] = step.trimEnd().split('\n');
      return { command: command!, output: output.map((line) => `${line}\n`).join('') };
    });
}

/** A block with what differs between the page and a test. Each text to replace has to be in it. */
export function adapted(block: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`"${from}" is not in ${text}`);
    return text.replaceAll(from, to);
  }, block);
}

/** Runs commands in a shell, which ends at the first one that fails. */
export function sh(
  commands: string,
  env: Readonly<Record<string, string>>,
  cwd = ROOT,
): Promise<{ stdout: string; stderr: string }> {
  return promisify(execFile)('sh', ['-ec', commands], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...COMPILED_ONCE, ...env },
    cwd,
    timeout: LIMIT_MS,
  });
}
