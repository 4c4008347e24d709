import { spawnSync } from 'node:child_process';

/** A hanging command must fail its test: it blocks the whole process. */
const LIMIT_MS = 280_000;

export function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { timeout: LIMIT_MS }).status === 0;
}

/**
 * Returns the output of a command.
 *
 * @throws Error with the command's message when it fails
 */
export function run(
  command: string,
  args: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    timeout: LIMIT_MS,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
