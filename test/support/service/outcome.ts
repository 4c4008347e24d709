import { run } from '../../../src/clients/cli/commands.js';
import type { Terminal } from '../../../src/clients/cli/terminal.js';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/**
 * What a command with `--json` has printed.
 *
 * @throws Error when a line is no object
 */
export function jsonLines(out: string): Record<string, unknown>[] {
  const lines = out.split('\n');
  if (lines.pop() !== '') throw new Error('the last line does not end');
  return lines.map((line) => {
    const value = JSON.parse(line) as unknown;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Error(`${line} is no object`);
    }
    return value as Record<string, unknown>;
  });
}

/** Runs a command in this process, with the given environment and nobody at the terminal. */
export function outcomeOf(
  env: Record<string, string>,
  ...args: readonly string[]
): Promise<Outcome> {
  return outcomeAt({ env }, args);
}

/** The same at a terminal where somebody may be. */
export async function outcomeAt(
  terminal: Pick<Terminal, 'env' | 'ask'>,
  args: readonly string[],
): Promise<Outcome> {
  let out = '';
  let err = '';
  const code = await run(args, {
    ...terminal,
    out: (text) => (out += text),
    hint: (text) => (err += text),
  });
  return { code, out, err };
}
