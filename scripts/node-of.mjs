/**
 * `node scripts/node-of.mjs MAJOR` prints the folder that has the program `node` of that major
 * version: of the running one, or of one that npm installs once into an ignored folder.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../.cache', import.meta.url));
const PACKAGE = `node-${process.platform}-${process.arch}`;

const [major] = process.argv.slice(2);
console.log(
  process.versions.node.startsWith(`${major}.`) ? dirname(process.execPath) : installed(),
);

function installed() {
  const folder = join(CACHE, `${PACKAGE}-${major}`);
  if (!existsSync(folder)) install(folder);
  return join(folder, 'node_modules', PACKAGE, 'bin');
}

/** The folder is either complete or absent. */
function install(folder) {
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    writeFileSync(join(fresh, 'package.json'), '{}');
    const install = ['install', '--silent', '--no-audit', '--no-fund', `${PACKAGE}@${major}`];
    execFileSync('npm', install, { cwd: fresh, stdio: ['ignore', 'ignore', 'inherit'] });
    renameSync(fresh, folder);
  } catch (error) {
    // When two processes install at once, the second finds the folder in place.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}
