/**
 * `npm run simulate -- [--seeds N] [--from S] [--all] [--coverage] [--uncovered]` runs the service
 * on a simulated log, warehouse and clock, once per seed. `npm run simulate -- --seed S` writes the
 * trace of one seed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from './ensure-built.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const out = join(root, '.cache', 'simulation');

try {
  await ensureInstalled();
  compile();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

const simulation = spawn(
  process.execPath,
  ['--enable-source-maps', join(out, 'test', 'simulation', 'run.js'), ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit' },
);
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => simulation.kill(signal));
const [code] = await once(simulation, 'exit');
process.exit(code ?? 1);

function compile() {
  // Removes the output of deleted sources: coverage would count its lines as not run.
  rmSync(out, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.simulation.json'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('the simulation does not compile');
}
