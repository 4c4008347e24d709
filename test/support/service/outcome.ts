import { run } from '../../../src/clients/cli/commands.js';

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in this process, with the given environment. */
export async function outcomeOf(
  env: Record<string, string>,
  ...args: readonly string[]
): Promise<Outcome> {
  let out = '';
  let err = '';
  const code = await run(args, {
    env,
    out: (text) => (out += text),
    hint: (text) => (err += text),
  });
  return { code, out, err };
}
