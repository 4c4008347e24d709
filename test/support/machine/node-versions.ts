import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../.cache/', import.meta.url));

/** The program of a Node version, which npm installs once. */
export function nodeOf(major: number): string {
  const folder = join(CACHE, `node-${major}`);
  const program = join(folder, 'node_modules', 'node', 'bin', 'node');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{}');
    execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', `node@${major}`], {
      cwd: folder,
      stdio: 'inherit',
    });
  }
  return program;
}
