/**
 * Adds to package-lock.json the optional packages of other platforms that npm left out, and the
 * checksums and licences that are missing.
 *
 * npm writes only the packages that its registry has. A mirror without the binaries of other
 * platforms gives a lock file that `npm ci` of npm 11 refuses as incomplete. Run this script after
 * a change of dependencies. What the registry does not have stays without a checksum.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const path = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const lock = JSON.parse(readFileSync(path, 'utf8'));

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const PROCESSORS = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64'];

let added = 0;
for (const [parent, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (isLocked(parent, name)) continue;
    lock.packages[`node_modules/${name}`] = entryOf(name, version, dev);
    added++;
  }
}
let completed = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.integrity !== undefined) continue;
  const found = published(path.slice(path.lastIndexOf('node_modules/') + 13), entry.version);
  if (found === undefined) continue;
  lock.packages[path] = { ...entry, ...found };
  completed++;
}
if (added + completed > 0) {
  const { '': project, ...rest } = lock.packages;
  const sorted = Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = { '': project, ...Object.fromEntries(sorted) };
  writeFileSync(path, `${JSON.stringify(lock, null, 2)}\n`);
}
console.log(`${added} optional packages added, ${completed} checksums`);

/** Returns whether `parent` would find the package in its own node_modules or in one above. */
function isLocked(parent, name) {
  for (let folder = parent; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    if (`${folder}/node_modules/${name}`.replace(/^\//, '') in lock.packages) return true;
    if (!folder.includes('/node_modules/')) return `node_modules/${name}` in lock.packages;
  }
}

function entryOf(name, version, dev) {
  const words = name.split(/[/-]/);
  const os = SYSTEMS.filter((system) => words.includes(system));
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(version) || os.length !== 1 || cpu.length !== 1) {
    throw new Error(`${name}@${version} is not the binary of one platform; install it by hand`);
  }
  const libc = /-gnu/.test(name) ? ['glibc'] : /-musl/.test(name) ? ['musl'] : undefined;
  return { version, cpu, ...(dev && { dev }), ...(libc && { libc }), optional: true, os };
}

/** What the registry says of a package; undefined if it does not have it. */
function published(name, version) {
  const args = ['view', `${name}@${version}`, 'dist.integrity', 'license', '--json'];
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8' });
  if (status !== 0 || stdout === '') return undefined;
  const { 'dist.integrity': integrity, license } = JSON.parse(stdout);
  return integrity === undefined ? undefined : { integrity, license };
}
