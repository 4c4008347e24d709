/**
 * Makes the working tree ready to run. Installs node_modules if it is missing or differs from
 * package-lock.json. Builds dist if it is missing or does not match its sources.
 *
 * Prints only if there is something to do, and only to standard error. Several processes may start
 * this at once: one does the work, the others wait.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withLock } from './lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const STAMP = join(root, 'dist', '.sources.json');
const BUILD_FILES = ['package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];

/** Throws a one-line error if the installation or the build fails; they print the reason. */
export async function ensureBuilt() {
  // A package without sources comes with its dist.
  if (!existsSync(join(root, 'src'))) return;
  if (isInstalled() && isBuilt()) return;
  await withLock(join(root, '.cache', 'build.lock'), () => {
    if (!isInstalled()) install();
    if (!isBuilt()) build();
  });
}

/** Like `ensureBuilt`, without the build. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  await withLock(join(root, '.cache', 'build.lock'), () => {
    if (!isInstalled()) install();
  });
}

/** Returns whether every package of the lock file that is not optional is there in its version. */
function isInstalled() {
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'))?.packages;
  if (installed === undefined) return false;
  const locked = readJson(join(root, 'package-lock.json'))?.packages ?? {};
  return Object.entries(locked).every(
    ([path, { version, optional }]) =>
      path === '' || optional === true || installed[path]?.version === version,
  );
}

function install() {
  console.error('Installing the packages that are missing ...');
  const command = existsSync(join(root, 'node_modules')) ? 'install' : 'ci';
  // Building takes packages for development, whatever NODE_ENV says.
  run('the installation', 'npm', [command, '--include=dev', '--loglevel=error']);
}

/** Returns whether dist was built from exactly these sources. Times alone miss deleted files. */
function isBuilt() {
  const built = readJson(STAMP);
  return built !== undefined && JSON.stringify(built) === JSON.stringify(sources());
}

function build() {
  console.error('Building ...');
  const now = sources();
  const before = readJson(STAMP) ?? {};
  // Removes the output of deleted sources too: the service would still run a deleted schema script.
  if (Object.keys(before).some((path) => !(path in now))) {
    rmSync(join(root, 'dist'), { recursive: true });
  }
  const nest = join(root, 'node_modules', '@nestjs', 'cli', 'bin', 'nest.js');
  run('the build', process.execPath, [nest, 'build']);
  writeFileSync(STAMP, JSON.stringify(now));
}

/** Returns the size and modification time of every source file of dist, by path. */
function sources() {
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
  return Object.fromEntries(
    [...BUILD_FILES, ...files].sort().map((path) => {
      const { size, mtimeMs } = statSync(join(root, path));
      return [path, `${size} ${mtimeMs}`];
    }),
  );
}

function run(what, command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    // Standard output belongs to the command that runs next.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) {
    throw new Error(`${what} failed${error ? `: ${error.message}` : ''}`);
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await ensureBuilt();
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
}
