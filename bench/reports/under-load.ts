import { setTimeout as sleep } from 'node:timers/promises';

import type { Bench } from '../benchmark.js';
import { LARGEST } from '../load/report-files.js';
import { plus, type Totals, TOTALS_SQL } from '../load/totals.js';
import { spreadOf } from '../measure.js';
import { atLeast, atMost, type Figure, ratioFigure } from '../report/figure.js';
import { mergesEnded } from '../service/merges-ended.js';
import { Service } from '../service/service.js';
import { costLoad, FILE_ROWS, IN_FLIGHT, warmUpLoad } from '../service/throughput.js';
import { compared, type Times } from './compared.js';
import { type Question, QUESTIONS } from './questions.js';

const ANALYSTS = 4;
const EVERY_MS = 2_000;

/** Milliseconds of each answer, by question. */
type Answers = ReadonlyMap<Question, number[]>;

/**
 * Reports while a full load runs: four analysts, each with one question every two seconds.
 *
 * @param stored the data folder with the rows of B9, which is copied
 */
export async function reportsUnderLoad(bench: Bench, stored: string): Promise<readonly Figure[]> {
  const { generator, sizes } = bench;
  // The account that is asked is one of those that upload.
  const account = LARGEST;
  const service = await Service.start({ stored, account, accounts: sizes.accounts });
  try {
    const [before] = await service.query<Totals>(
      `SELECT ${TOTALS_SQL} FROM cost_rows WHERE account = '${account}'`,
    );
    const load = costLoad(sizes.files, 1);
    const warmUp = warmUpLoad(sizes.warmUpFiles, 1);
    const warmed = (await generator.prepare(warmUp)).kept;
    const { kept } = await generator.prepare(load);
    const { target, tokens } = service;
    const upload = { target, concurrency: IN_FLIGHT };
    await generator.program.call('upload', { ...upload, load: warmUp });
    // Once before: all answers are about the same rows, which each load replaces.
    await generator.program.call('upload', { ...upload, load, tokens });
    const rate = async (): Promise<number> => {
      const timed = await generator.program.call('upload', { ...upload, load, tokens });
      return (sizes.files * FILE_ROWS * tokens.length) / generator.note(timed).seconds;
    };

    await mergesEnded(service);
    const idle = noAnswers();
    for (let read = 0; read < sizes.reportReads; read++) {
      for (const question of QUESTIONS) await ask(service, question, idle);
    }
    const busy = noAnswers();
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < sizes.rounds; round++) {
      // In turn.
      if (round % 2 === 0) alone.push(await rate());
      beside.push(await besideAnalysts(service, round, busy, rate));
      if (round % 2 === 1) alone.push(await rate());
      bench.say(
        `B9 round ${round + 1}: ${Math.round(beside[round]!)} rows/s beside analysts, ${Math.round(alone[round]!)} alone`,
      );
    }
    await service.requireTotals(plus(kept, warmed), kept, new Map([[account, before!]]));
    return [
      ratioFigure({
        name: `B9 the load beside ${ANALYSTS} analysts`,
        goal: atLeast(0.8),
        unit: 'rows/s',
        ours: beside,
        theirs: alone,
        beside: 'alone',
      }),
      compared('B9 while a load runs', atMost(3), medians(busy), 'without', medians(idle)),
    ];
  } finally {
    await service.kill();
  }
}

/** Runs the load while the analysts ask. Each begins with another question. */
async function besideAnalysts(
  service: Service,
  round: number,
  answers: Answers,
  load: () => Promise<number>,
): Promise<number> {
  let isOver = false;
  const analysts = Array.from({ length: ANALYSTS }, async (_, analyst) => {
    const from = Math.floor(((round + analyst) * QUESTIONS.length) / ANALYSTS);
    await sleep((analyst * EVERY_MS) / ANALYSTS);
    for (let at = from; !isOver; at++) {
      const next = sleep(EVERY_MS);
      await ask(service, QUESTIONS[at % QUESTIONS.length]!, answers);
      await next;
    }
  });
  const [rate] = await Promise.all([
    load().finally(() => {
      isOver = true;
    }),
    ...analysts,
  ]);
  return rate;
}

async function ask(service: Service, question: Question, answers: Answers): Promise<void> {
  const from = performance.now();
  const rows = await service.query(question.view);
  answers.get(question)!.push(performance.now() - from);
  if (rows.length === 0) throw new Error(`${question.name}: there is no answer`);
}

function medians(answers: Answers): Times {
  return new Map(
    [...answers]
      .filter(([, took]) => took.length > 0)
      .map(([question, took]) => [question, spreadOf(took).median]),
  );
}

function noAnswers(): Answers {
  return new Map(QUESTIONS.map((question) => [question, []]));
}
