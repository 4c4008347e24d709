/**
 * `npm run simulate -- [--seeds N] [--from S] [--all] [--coverage] [--uncovered]`: the service over a
 * simulated log, warehouse and clock, once for each seed. `npm run simulate -- --seed S` writes the seed's trace.
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
  // Of sources that are gone nothing is to be left: their lines would count as not run.
  rmSync(out, { recursive: true, force: true });
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.simulation.json'], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) throw new Error('the simulation does not compile');
}
