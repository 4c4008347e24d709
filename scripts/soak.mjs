/**
 * `npm run soak -- [--minutes N] [--seed S]` runs the simulation on one core, seed after seed.
 * Beside it, it repeats the tests that kill, stop and cut off processes and fill up disks, until
 * the time is over or Ctrl-C. A suite that fails is not run again; the others go on, and the exit
 * code is 1. At the end it prints how often each kind of fault occurred in the suites that passed.
 * When the time is over no suite starts, and running suites get some time to end.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './ensure-built.mjs';
import { add, nextSuite, summaryOf, tallyOf } from './soak/tally.mjs';
import { SUITES } from './soak/suites.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Suites that run in parallel. They mostly wait. */
const LANES = 2;
/** How long running suites may take to end after the time is over. */
const GRACE_MS = 4 * 60_000;
/** The time limit of a suite. No suite takes nearly as long. */
const SUITE_MS = 60 * 60_000;
const SHOWN_BYTES = 20_000;

const { minutes, seed } = optionsOrExit();
const started = Date.now();
const end = started + minutes * 60_000;
const random = randomOf(seed);
/** Holds what killed tests leave behind. */
const temporary = mkdtempSync(join(tmpdir(), 'custom-data-soak-'));
const simulated = join(temporary, 'simulated');
const suites = SUITES.map((suite) => ({
  ...suite,
  runs: 0,
  isUnderWay: false,
  hasFailed: false,
  kinds: new Set(),
}));
const inLanes = suites.filter(({ isAlone }) => !isAlone);
const passed = tallyOf('');
/** Processes whose process groups are killed when the soak ends. */
const running = new Set();
const failures = [];
/** True when no suite may start and the running ones have been killed. */
let isStopped = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
try {
  await ensureBuilt();
  console.log(`soak: --seed ${seed}`);
  for (const suite of suites.filter(({ isAlone }) => isAlone)) await runSuite(suite);
  const simulation = simulate();
  const late = setTimeout(stop, Math.min(end + GRACE_MS - Date.now(), 2 ** 31 - 1));
  await Promise.all(Array.from({ length: LANES }, lane));
  clearTimeout(late);
  stop();
  await simulation;
} catch (error) {
  failures.push(error.message);
} finally {
  stop();
  await removeLeftovers();
}
add(passed, tallyOf(existsSync(simulated) ? readFileSync(simulated, 'utf8') : ''));
rmSync(temporary, { recursive: true, force: true, maxRetries: 10 });
const took = (Date.now() - started) / 60_000;
console.log(summaryOf({ minutes: took, seed, tally: passed, suites, failures }).join('\n'));
process.exit(failures.length > 0 ? 1 : 0);

async function lane() {
  while (!isStopped && Date.now() < end) {
    const suite = nextSuite(inLanes, passed.faults, random);
    if (suite === undefined) return;
    suite.isUnderWay = true;
    await runSuite(suite);
    suite.isUnderWay = false;
  }
}

async function runSuite(suite) {
  const from = Date.now();
  const counts = join(temporary, `counts-${from}-${running.size}`);
  const { code, output } = await run(
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      'node_modules/jest/bin/jest.js',
      ...['--runInBand', '--ci', '--forceExit', '--cacheDirectory', join(root, '.cache', 'jest')],
      suite.path,
    ],
    {
      SOAK_COUNTS: counts,
      SOAK: '1',
      // Lets tests without a broker or a disk fail, instead of skipping them again and again.
      CI: 'true',
      ...suite.env,
    },
    SUITE_MS,
  );
  // Of a suite that was stopped, one of its tests may have failed before.
  if (isStopped && !/^ *● (?!Console)/m.test(output)) return;
  const seconds = Math.round((Date.now() - from) / 1000);
  const minute = ((Date.now() - started) / 60_000).toFixed(1).padStart(5);
  if (code !== 0) {
    console.log(`${minute} min  ${suite.path} FAILED after ${seconds} s\n${output}`);
    const env = Object.entries({ SOAK: 1, ...suite.env });
    const variables = env.map(([name, value]) => `${name}=${value}`).join(' ');
    failures.push(`${suite.path}: ${variables} npm test -- ${suite.path}`);
    suite.hasFailed = true;
    return;
  }
  const tally = tallyOf(existsSync(counts) ? readFileSync(counts, 'utf8') : '');
  add(passed, tally);
  suite.runs++;
  for (const kind of tally.faults.keys()) suite.kinds.add(kind);
  const faults = [...tally.faults].map(([kind, count]) => `${kind} ${count}`).join(', ');
  console.log(`${minute} min  ${suite.path} passed in ${seconds} s: ${faults}`);
}

/** Runs the simulation until it is stopped or a seed fails. The suites go on after a failure. */
async function simulate() {
  const args = ['--seeds', '1000000', '--from', `${seed}`];
  const env = { SOAK_COUNTS: simulated };
  const { code, output } = await run(['scripts/simulate.mjs', ...args], env);
  if (isStopped) return;
  console.log(output);
  failures.push(`the simulation has ended with ${code}: npm run simulate -- --seed (see above)`);
}

async function run(command, env, limitMs) {
  if (isStopped) return { code: null, output: '' };
  const path = join(temporary, `output-${Date.now()}-${running.size}`);
  const file = openSync(path, 'w');
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', file, file],
    // A separate process group, to kill everything that the tests started, even stopped processes.
    detached: true,
    env: { ...process.env, TMPDIR: temporary, ...env },
  });
  closeSync(file);
  running.add(child);
  const late = limitMs && setTimeout(killGroup, limitMs, child);
  const [code] = await once(child, 'exit');
  clearTimeout(late);
  killGroup(child);
  running.delete(child);
  const output = readFileSync(path, 'utf8');
  rmSync(path);
  // Shows the output from the first failure on, because others may follow from it; else its end.
  const failure = output.indexOf('●');
  return { code, output: output.slice(failure < 0 ? -SHOWN_BYTES : failure).slice(0, SHOWN_BYTES) };
}

function stop() {
  isStopped = true;
  for (const child of running) killGroup(child);
}

function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** Unmounts the disks of tests that were killed. */
async function removeLeftovers() {
  // Processes that still write to the disks are about to end.
  await sleep(500);
  register(new URL('../test/support/log/typescript-hooks.mjs', import.meta.url));
  const { removeLeftoverDisks } = await import('../test/support/disk/leftover-disks.ts');
  removeLeftoverDisks();
}

/** Returns a generator of random numbers from 0 up to, but not including, 1 (mulberry32). */
function randomOf(number) {
  let state = number;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function optionsOrExit() {
  try {
    const options = { minutes: { type: 'string' }, seed: { type: 'string' } };
    const { values } = parseArgs({ options });
    const minutes = Number(values.minutes ?? 'Infinity');
    const seed = Number(values.seed ?? randomInt(1_000_000_000));
    if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes} is not a positive number`);
    if (!Number.isSafeInteger(seed)) throw new Error(`--seed ${values.seed} is not a whole number`);
    return { minutes, seed };
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(2);
  }
}
