/**
 * `npm run bench` measures the service and its baselines. It first installs and builds what is
 * missing. Arguments select benchmarks: `npm run bench -- B1 B7`, `npm run bench -- growth`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from './ensure-built.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, '.cache', 'bench');

try {
  await ensureBuilt();
  compile();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

const bench = spawn(
  process.execPath,
  ['--enable-source-maps', join(out, 'bench', 'run.js'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => bench.kill(signal));
const [code] = await once(bench, 'exit');
process.exit(code ?? 1);

/** Compiles the benchmarks and the sources that some of them run in a separate process. */
function compile() {
  // Removes the output of earlier sources, so that no benchmark measures it.
  rmSync(out, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.bench.json'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('the benchmarks do not compile');
  for (const folder of [join('src', 'warehouse', 'schema'), join('deploy', 'grafana')]) {
    cpSync(join(root, folder), join(out, folder), {
      recursive: true,
      filter: (path) => !path.endsWith('.ts'),
    });
  }
  if (!existsSync(join(out, 'bench', 'run.js'))) throw new Error('the benchmarks are missing');
}
