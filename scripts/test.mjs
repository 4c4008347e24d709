/**
 * Runs the tests tier by tier, each within its time limit. It first installs and builds what is
 * missing.
 *
 *     npm test                         every tier that needs no second broker, mount or container
 *     npm test -- test/unit/domain     only these files; all arguments go to jest
 *     node scripts/test.mjs unit kafka these tiers
 *     node scripts/test.mjs apart      the tiers that `npm test` leaves out
 *     node scripts/test.mjs total      no tests: adds up the results in TEST_RESULTS
 *
 * The last line is `N passed, N failed`. If TEST_RESULTS names a folder, the results stay there.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, ensureInstalled } from './ensure-built.mjs';
import { TIERS, WITH } from './tiers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const JEST = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  'node_modules/jest/bin/jest.js',
];
/** The time between the signal that asks a tier to end and the signal that kills it. */
const GRACE_MS = 10_000;
/** How many lines of a failure message the report repeats. The full message is printed above it. */
const FAILURE_LINES = 12;

let running;
let killing;
/** After a signal no further tier runs. */
let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    if (running === undefined) process.exit(1);
    isStopped = true;
    endGroup(signal);
  });
}

const args = process.argv.slice(2);
const tiers = tiersOf(args);
if (args[0] === 'total') {
  process.exitCode = report(resolve(process.env.TEST_RESULTS));
} else {
  try {
    await (args.length === 1 && args[0] === 'unit' ? ensureInstalled() : ensureBuilt());
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
  process.exitCode = tiers === undefined ? await jest(args) : await runTiers(tiers);
}

/** Returns the tiers to run, or undefined if the arguments are for jest. */
function tiersOf(names) {
  const isApart = (name) => TIERS[name].apart === true;
  if (names.length === 0) return Object.keys(TIERS).filter((name) => !isApart(name));
  if (names.length === 1 && names[0] === 'apart') return Object.keys(TIERS).filter(isApart);
  if (!names.every((name) => name in TIERS)) return undefined;
  return names.flatMap((name) => [name, ...(WITH[name] ?? [])]);
}

/** Runs the tiers one after the other, even after a failure. */
async function runTiers(names) {
  const { TEST_RESULTS } = process.env;
  const folder =
    TEST_RESULTS === undefined
      ? mkdtempSync(join(tmpdir(), 'custom-data-results-'))
      : resolve(TEST_RESULTS);
  let code = 0;
  for (const name of names) {
    if (isStopped) break;
    const from = Date.now();
    const { minutes, testSeconds, workers } = TIERS[name];
    const json = join(folder, `${name}.jest.json`);
    const options = ['--selectProjects', name, '--json', `--outputFile=${json}`];
    if (testSeconds !== undefined) options.push(`--testTimeout=${testSeconds * 1000}`);
    if (workers !== undefined) options.push(`--maxWorkers=${workers}`);
    rmSync(json, { force: true });
    const ended = await jest(options, minutes * 60_000);
    const seconds = Math.round((Date.now() - from) / 1000);
    const { passed, failed, failures } = resultsIn(json, testSeconds);
    const tier = { name, minutes, seconds, isLate: ended === 'late', passed, failures };
    // A tier that ends badly, or without results, counts as one failure.
    const hasEndedWell = ended === 0 && existsSync(json);
    const result = { ...tier, failed: hasEndedWell ? failed : Math.max(1, failed) };
    if (result.failed > 0) code = 1;
    writeFileSync(join(folder, `${name}.tier.json`), JSON.stringify(result));
  }
  report(folder);
  if (TEST_RESULTS === undefined) rmSync(folder, { recursive: true });
  return isStopped ? 1 : code;
}

/** Prints the failed tests, the time of each tier in the folder, and the totals. */
function report(folder) {
  const files = readdirSync(folder).filter((file) => file.endsWith('.tier.json'));
  const results = files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')));
  let passed = 0;
  let failed = 0;
  for (const { name, failures } of results) {
    for (const failure of failures) console.log(`${name} ✕ ${failure}`);
  }
  for (const { name, minutes, seconds, isLate, ...tests } of results) {
    passed += tests.passed;
    failed += tests.failed;
    const late = isLate ? ', ended because it took too long' : '';
    console.log(
      `${name}: ${tests.passed} passed, ${tests.failed} failed in ${seconds} s of ${minutes * 60} s${late}`,
    );
  }
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Returns the exit code of jest, or `late` if jest took longer than `limitMs` and was ended. */
async function jest(options, limitMs) {
  running = spawn(process.execPath, [...JEST, ...options], {
    cwd: root,
    stdio: 'inherit',
    // A separate process group, so that everything the tests started ends with it.
    detached: true,
  });
  let isLate = false;
  const timer =
    limitMs &&
    setTimeout(() => {
      isLate = true;
      endGroup('SIGTERM');
    }, limitMs);
  const [code] = await once(running, 'exit');
  clearTimeout(timer);
  // Or it would kill the next tier.
  clearTimeout(killing);
  signalGroup('SIGKILL');
  running = undefined;
  return isLate ? 'late' : (code ?? 1);
}

function endGroup(signal) {
  signalGroup(signal);
  clearTimeout(killing);
  killing = setTimeout(signalGroup, GRACE_MS, 'SIGKILL');
}

function signalGroup(signal) {
  try {
    process.kill(-running.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** A test that takes longer than `testSeconds` has failed. Jest ends none that never pauses. */
function resultsIn(file, testSeconds = Infinity) {
  if (!existsSync(file)) return { passed: 0, failed: 0, failures: [] };
  const results = JSON.parse(readFileSync(file, 'utf8'));
  const failures = results.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const failed = assertionResults.filter((test) => test.status === 'failed');
    // A file that fails to load, or whose hooks fail, has no failed test.
    return failed.length === 0 && status === 'failed'
      ? [`${name}\n${firstLines(message)}`]
      : failed.map((test) => `${test.fullName}\n${firstLines(test.failureMessages.join('\n'))}`);
  });
  const late = results.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status, duration }) => status === 'passed' && duration > testSeconds * 1000);
  for (const { fullName, duration } of late) {
    failures.push(`${fullName}\ntook ${duration / 1000} s; its tier allows ${testSeconds} s`);
  }
  return {
    passed: results.numPassedTests - late.length,
    // A file that fails to load has no tests to count.
    failed: results.numFailedTests + results.numRuntimeErrorTestSuites + late.length,
    failures,
  };
}

function firstLines(text) {
  return text.split('\n', FAILURE_LINES).join('\n');
}
