import { spawnSync } from 'node:child_process';

export function runs(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args).status === 0;
}

/**
 * What a command prints.
 *
 * @throws Error with what it says when it does not end well
 */
export function run(
  command: string,
  args: readonly string[],
  options: { input?: string; env?: NodeJS.ProcessEnv } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...options,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
