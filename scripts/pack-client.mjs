/**
 * `npm run pack:client [-- FOLDER]` makes a package for upload clients: the commands `upload`,
 * `preview`, `validate`, `convert` and `status`, and the client for Node.js, with what they import
 * of this project and nothing of the service. Prints the tarball's path.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './ensure-built.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const COMMAND = 'dist/clients/cli/client-main.js';
const API = 'dist/clients/api/index.js';
/** `from '…'`, `import('…')` and `import '…'`, as the compiler writes them. */
const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;

const target = resolve(process.argv[2] ?? '.');
await ensureBuilt();
const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { files, packages } = reachableFrom([COMMAND, API]);
const folder = mkdtempSync(join(tmpdir(), 'custom-data-client-'));
try {
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'README.md'), page('upload-clients.md'));
  writeFileSync(join(folder, 'upload-rules.md'), page('upload-rules.md'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  mkdirSync(target, { recursive: true });
  const pack = spawnSync('npm', ['pack', '--silent', '--pack-destination', target], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (pack.status !== 0) throw new Error('npm pack failed');
  console.log(join(target, pack.stdout.trim()));
} finally {
  rmSync(folder, { recursive: true });
}

/** A page for uploaders. Of links to pages that the package lacks, only the text is left. */
function page(name) {
  return readFileSync(join(root, 'docs', name), 'utf8')
    .replaceAll('](upload-clients.md', '](README.md')
    .replace(/\[([^\]]+)\]\((?!https:|#|README\.md|upload-rules\.md)[^)]+\)/g, '$1');
}

function manifest() {
  const { name, version, license, engines, dependencies } = project;
  return {
    // The same, so that programs import the client by one name.
    name,
    version,
    description: 'Upload CSV files of cost data and custom metrics.',
    license,
    type: 'module',
    engines,
    bin: { 'custom-data': COMMAND },
    exports: {
      './client': { types: `./${API.replace(/js$/, 'd.ts')}`, default: `./${API}` },
      './package.json': './package.json',
    },
    dependencies: Object.fromEntries(packages.map((each) => [each, dependencies[each]])),
  };
}

/** The files of the build that these import, with their types, and the packages. */
function reachableFrom(entries) {
  const files = new Set();
  const packages = new Set();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const types = file.replace(/\.js$/, '.d.ts');
    for (const text of [file, types].map((each) => readFileSync(join(root, each), 'utf8'))) {
      for (const [, name] of text.matchAll(IMPORT)) {
        if (name.startsWith('.')) {
          waiting.push(relative(root, resolve(root, dirname(file), name)));
        } else if (!name.startsWith('node:')) {
          packages.add(name);
        }
      }
    }
  }
  const all = [...files].flatMap((file) => [file, file.replace(/\.js$/, '.d.ts')]);
  for (const name of packages) {
    if (!(name in project.dependencies)) throw new Error(`${name} is no dependency`);
  }
  return { files: all, packages: [...packages].sort() };
}
