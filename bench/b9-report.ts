import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import { chdbFolder } from '../src/config/data-folder.js';
import { FAMILIES, type FamilyName } from '../src/domain/families/index.js';
import type { Bench } from './benchmark.js';
import { Child } from './process/child.js';
import { endWithUs, makeFolder, removeFolder } from './process/cleanup.js';
import type { ReportsCommands } from './programs/reports.js';
import { atMost, type Figure, notRun } from './report/figure.js';
import { compared, type Times } from './reports/compared.js';
import { type Question, QUESTIONS } from './reports/questions.js';
import { reportsUnderLoad } from './reports/under-load.js';

/** Right after a load, merges change the answer's price while it is measured. */
const QUICK_READS = 3;
const NEXT_ENGINE = 'bench/reports/next-engine.mjs';

/** How long reports take, compared with a flat table of the rows that they show. */
export async function b9(bench: Bench): Promise<readonly Figure[]> {
  const dataDir = await makeFolder();
  const program = Child.start<ReportsCommands>('programs/reports');
  try {
    await program.call('open', { dataDir });
    const atOnce = new Map<Question, number>();
    const later = new Map<Question, number>();
    // Self-serve first: panels of the dashboards ask both families.
    for (const { name } of [...FAMILIES].reverse()) {
      bench.say(`B9: storing rows of ${name}`);
      await program.call('store', { family: name, largest: bench.sizes.reportFiles });
      bench.say(`B9: ${await program.call('parts', name)} parts`);
      await timeAll(program, name, atOnce);
      await program.call('wait', { ms: bench.sizes.settleMs });
      bench.say(`B9: ${await program.call('parts', name)} parts a minute later`);
      await timeAll(program, name, later);
    }
    for (const { name } of FAMILIES) {
      await program.call('merge', name);
      await program.call('flatten', name);
    }
    await requireEqualAnswers(program);
    const { reportReads } = bench.sizes;
    const merged = await timed(program, reportReads, ({ view }) => view);
    const flat = faster(
      await timed(program, reportReads, (question) => question.flat),
      await timed(program, reportReads, (question) => fine(question)),
    );
    const throughReport = await timed(program, reportReads, ({ report }) => report);
    await program.call('close');
    return [
      compared('B9 merged, engine 26.7', atMost(4), merged, 'flat', flat),
      compared(
        'B9 what the summaries answer, through the reports',
        undefined,
        throughReport,
        'flat',
        flat,
      ),
      compared('B9 right after the load', atMost(4), atOnce, 'merged', merged),
      compared('B9 a minute later', atMost(1.5), later, 'merged', merged),
      ...(await reportsUnderLoad(bench, dataDir)),
      ...(await onNextEngine(dataDir, bench.sizes.reportReads)),
    ];
  } finally {
    await program.end();
    await removeFolder(dataDir);
  }
}

async function timeAll(
  program: Child<ReportsCommands>,
  family: FamilyName,
  times: Map<Question, number>,
): Promise<void> {
  for (const question of QUESTIONS) {
    if (question.family !== (family === 'cost' ? 'cost' : 'self_serve')) continue;
    const order = { sql: question.view, reads: QUICK_READS };
    times.set(question, await program.call('time', order));
  }
}

async function timed(
  program: Child<ReportsCommands>,
  reads: number,
  sqlOf: (question: Question) => string | undefined,
): Promise<Times> {
  const times = new Map<Question, number>();
  for (const question of QUESTIONS) {
    const sql = sqlOf(question);
    if (sql !== undefined) times.set(question, await program.call('time', { sql, reads }));
  }
  return times;
}

/** The question to the flat table with granules as small as the service's. */
function fine({ flat }: Question): string {
  return flat.replaceAll('.flat_', '.fine_');
}

/** Of each question, the shorter time: the baseline is the better of the two tables. */
function faster(one: Times, other: Times): Times {
  return new Map([...one].map(([question, ms]) => [question, Math.min(ms, other.get(question)!)]));
}

/** @throws Error when a view and the flat table give different answers, or none */
async function requireEqualAnswers(program: Child<ReportsCommands>): Promise<void> {
  for (const question of QUESTIONS) {
    const { name, view, flat, report } = question;
    const answer = await program.call('ask', view);
    if (answer === '[]') throw new Error(`${name}: there is no answer`);
    for (const other of [flat, fine(question), ...(report === undefined ? [] : [report])]) {
      if ((await program.call('ask', other)) !== answer) {
        throw new Error(`${name}: a view and the flat table give different answers`);
      }
    }
  }
}

interface NextEngineAnswer {
  readonly version: string;
  readonly ms: readonly number[];
  readonly answers: readonly string[];
}

/** The same questions on a copy of the data that a newer engine has opened. */
async function onNextEngine(dataDir: string, reads: number): Promise<readonly Figure[]> {
  const copy = await makeFolder();
  try {
    await cp(chdbFolder(dataDir), copy, { recursive: true });
    const all = QUESTIONS.flatMap((question) => [question.view, question.flat, fine(question)]);
    const answer = await askNextEngine(copy, reads, all);
    if (answer === undefined) return [notRun('B9 on the newer engine', 'Python is missing')];
    const { version, ms, answers } = answer;
    const times = (offset: 0 | 1 | 2): Times =>
      new Map(QUESTIONS.map((question, at) => [question, ms[3 * at + offset]!]));
    QUESTIONS.forEach(({ name }, at) => {
      if (new Set(answers.slice(3 * at, 3 * at + 3)).size !== 1) {
        throw new Error(`${name}: the newer engine gives different answers`);
      }
    });
    const flat = faster(times(1), times(2));
    return [compared(`B9 merged, engine ${version}`, atMost(1.5), times(0), 'flat', flat)];
  } finally {
    await removeFolder(copy);
  }
}

/** Undefined where there is no Python. */
async function askNextEngine(
  path: string,
  reads: number,
  questions: readonly string[],
): Promise<NextEngineAnswer | undefined> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', NEXT_ENGINE], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  endWithUs(child);
  child.stdin.end(`${JSON.stringify({ path, reads, questions })}\n`);
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (child.exitCode !== 0) throw new Error(`the newer engine ended with ${child.exitCode}`);
  return output === 'none\n' ? undefined : (JSON.parse(output) as NextEngineAnswer);
}
