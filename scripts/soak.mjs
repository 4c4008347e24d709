/**
 * `npm run soak -- [--minutes N]`: repeats 10,000 seeds of the simulation and the tests that kill, stop
 * and cut off processes, until one fails, the time is over or Ctrl-C. Time that is over ends no round:
 * it only begins no more.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './ensure-built.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Seeds that no round before has had. */
const SEEDS = 10_000;
const SUITES = [
  'test/process/chaos/',
  'test/process/e2e/kill',
  'test/process/log/lmdb/processes',
  'test/kafka/cluster/service/',
];
// Disks are mounted by root alone.
if (process.getuid?.() === 0) SUITES.push('test/process/disk/power-loss');

const end = Date.now() + minutesOrExit() * 60_000;
const started = Date.now();
/** What killed tests leave behind is in here. */
const temporary = mkdtempSync(join(tmpdir(), 'custom-data-soak-'));
let running;
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    isStopped = true;
    // As a group, so that what the tests have started ends as well, even what they have stopped.
    if (running !== undefined) killGroup(running);
  });
}

let rounds = 0;
let hasFailed = false;
try {
  await ensureBuilt();
  while (!isStopped && !hasFailed && (rounds === 0 || Date.now() < end)) {
    console.log(`soak: round ${rounds + 1}`);
    const code = await round();
    if (isStopped) break;
    hasFailed = code !== 0;
    if (!hasFailed) rounds++;
  }
} catch (error) {
  console.error(`error: ${error.message}`);
  hasFailed = true;
} finally {
  rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
}
const minutes = ((Date.now() - started) / 60_000).toFixed(1);
if (hasFailed) console.log(`soak: failed in round ${rounds + 1}, after ${minutes} minutes`);
else console.log(`soak: ${rounds} rounds in ${minutes} minutes, no failure`);
process.exit(hasFailed ? 1 : 0);

/** Runs everything once; the exit code, null when a signal has ended it. */
async function round() {
  const from = 1 + rounds * SEEDS;
  const simulation = ['scripts/simulate.mjs', '--seeds', `${SEEDS}`, '--from', `${from}`];
  const code = await run(simulation);
  if (code !== 0 || isStopped) return code;
  return run([
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
    ...SUITES,
  ]);
}

async function run(command) {
  running = spawn(process.execPath, command, {
    cwd: root,
    stdio: 'inherit',
    detached: true,
    // CI: without a broker the suites are to fail, not to be skipped round after round.
    env: { ...process.env, TMPDIR: temporary, CI: 'true', ALL_DEPLOYMENTS: '1' },
  });
  const [code] = await once(running, 'exit');
  return code;
}

function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function minutesOrExit() {
  try {
    const { values } = parseArgs({ options: { minutes: { type: 'string' } } });
    const minutes = Number(values.minutes ?? 'Infinity');
    if (minutes > 0) return minutes;
    throw new Error(`--minutes ${values.minutes} is not a positive number`);
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
}
