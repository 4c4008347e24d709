import { join } from 'node:path';

import { builtOnce, isBuilt } from './built-once.js';
import { run, runs } from '../service/command.js';

/** The first run downloads packages. */
export const PYTHON_SET_UP_MS = 600_000;

/** Whether `pythonWith` can provide this environment. */
export function hasPython(name: string): boolean {
  return isBuilt(name) || runs('python3', ['-c', 'import venv, ensurepip']);
}

/**
 * The interpreter of an environment that has only the pinned packages.
 *
 * @param name path of the environment within `.cache`
 * @param requirements a file that pins every package, including transitive dependencies
 */
export function pythonWith(name: string, requirements: string): string {
  const folder = builtOnce(name, (fresh) => {
    run('cp', ['-a', `${withPipAlone()}/.`, fresh]);
    const install = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', '--no-deps'];
    run(join(fresh, 'bin', 'python'), [...install, '-r', requirements]);
  });
  return join(folder, 'bin', 'python');
}

/** An environment that others are copies of: installing pip takes longer than most packages. */
function withPipAlone(): string {
  return builtOnce('pip', (fresh) => {
    run('python3', ['-m', 'venv', fresh]);
  });
}
