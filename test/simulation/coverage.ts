import { readFileSync, readdirSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Counts which lines of the service run, with V8's coverage. Import before the service's modules.
 */

const SOURCE = fileURLToPath(new URL('../../src', import.meta.url));
/** The parts of the service that the simulation covers. */
const PARTS: Readonly<Record<string, (file: string) => boolean>> = {
  // Threads are not simulated.
  ingest: (file) =>
    file.startsWith('ingest/') && !/prepare-(?:pool|worker)|kernel-binary/.test(file),
  status: (file) => file.startsWith('status/'),
  // HTTP and gzip are not simulated.
  acceptance: (file) =>
    file.startsWith('gateway/create/') &&
    !/admission|controller|file-part|strict-form|unpacker/.test(file),
};

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** The lines of a file that hold code: how many have run, and which have not. */
export interface FileCoverage {
  readonly file: string;
  readonly covered: number;
  readonly uncovered: readonly string[];
}

const session = new Session();
/** Only on request: counting slows the code down by a quarter. */
export const isCounting = process.argv.some((arg) => /^--(?:coverage|uncovered)$/.test(arg));
if (isCounting) {
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: true });
}

/** The files of each part, with the lines that have run since the start. */
export function coverage(): Record<string, FileCoverage[]> {
  let scripts: readonly Script[] = [];
  session.post('Profiler.takePreciseCoverage', (error, { result }) => {
    if (error !== null) throw error;
    scripts = result;
  });
  const byFile = new Map(
    scripts
      .filter(({ url }) => url.startsWith('file:'))
      .map((script) => [fileURLToPath(script.url), script]),
  );
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  return Object.fromEntries(
    Object.entries(PARTS).map(([part, isOf]) => [
      part,
      files.filter(isOf).map((file) => coverageOf(file, byFile.get(join(SOURCE, file)))),
    ]),
  );
}

export function percent(files: readonly FileCoverage[]): number {
  const covered = files.reduce((sum, file) => sum + file.covered, 0);
  const uncovered = files.reduce((sum, file) => sum + file.uncovered.length, 0);
  return (100 * covered) / Math.max(1, covered + uncovered);
}

function coverageOf(file: string, script: Script | undefined): FileCoverage {
  const text = readFileSync(join(SOURCE, file), 'utf8');
  // Of nested ranges the inner one comes later and wins.
  const ranges = script?.functions.flatMap((each) => each.ranges) ?? [];
  let start = 0;
  let covered = 0;
  const uncovered: string[] = [];
  for (const line of text.split('\n')) {
    const from = start + line.length - line.trimStart().length;
    const to = start + line.trimEnd().length;
    start += line.length + 1;
    if (!isCode(line.trim())) continue;
    const range = ranges.findLast(
      ({ startOffset, endOffset }) => startOffset <= from && endOffset >= to,
    );
    if (range !== undefined && range.count > 0) covered++;
    else uncovered.push(line.trim());
  }
  return { file: relative('.', file), covered, uncovered };
}

function isCode(line: string): boolean {
  return (
    /\w/.test(line) && !/^(?:\/[/*]|\*|import |export \* |\} else \{$|\} finally \{$)/.test(line)
  );
}
