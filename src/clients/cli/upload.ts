import { type Command, InvalidArgumentError, Option } from 'commander';
import { type FamilyName, familyNamed } from '../../domain/families/index.js';
import { FILE } from '../../csv/findings.js';
import { CommandError, type Output, UNREACHABLE } from './terminal.js';
import { divide } from './upload/divide.js';
import { Journal } from './upload/journal.js';
import { type DividedFile, PartStore, type StoredPart } from './upload/part-store.js';
import { Problems } from './upload/problems.js';
import { Progress } from './upload/progress.js';
import { Sender } from './upload/sender.js';
import {
  addServiceOptions,
  connectionOf,
  familyOption,
  type ServiceOptions,
} from './upload/service-options.js';
import { openSource } from './upload/source.js';
import { countsOf, type Summary, summaryOf } from './upload/summary.js';

interface UploadOptions extends ServiceOptions {
  readonly family: FamilyName;
  readonly concurrency: number;
  readonly resume?: true;
}

const INTERRUPTED = 130;
const MAX_CONCURRENCY = 64;

const HELP = `
A FILE is CSV or gzip of CSV, of any size; - is standard input. It is divided into requests that
keep the limits of the service. All rows of an overwrite key (cost: date, channel, campaign;
self-serve: date, channel, event_category) stay in one request, wherever they stand in the file.

Several FILEs are sent one after the other: a later one replaces what an earlier one has of the same
keys, as if each were uploaded by a command of its own. Every FILE is read before anything is sent,
and nothing is sent of any when one of them is not well-formed.

Each request is taken or fails by itself, so a FILE with a mistake may be stored in part:
custom-data validate finds mistakes without sending anything.

Temporary files take about two and a half times the size of the FILEs, in TMPDIR. The state of an
unfinished upload is kept below XDG_STATE_HOME (default ~/.local/state); --resume goes on with it.

Exit codes: 0 everything succeeded, 1 something failed, 2 the command is not understood, 3 the
service does not answer or is busy, 130 interrupted.`;

export function addUploadCommand(program: Command, terminal: Output): void {
  const command = program
    .command('upload')
    .description('upload files of any size and follow them to their end')
    .argument('<file...>', 'CSV files, or - for standard input')
    .addOption(familyOption())
    .addOption(
      new Option('--concurrency <n>', 'requests under way at once')
        .default(4)
        .argParser(concurrencyOf),
    )
    .option('--resume', 'go on with an upload of the same files that was interrupted')
    .addHelpText('after', HELP);
  addServiceOptions(command).action(async (paths: string[], options: UploadOptions) => {
    const interrupted = new AbortController();
    const interrupt = (): void => {
      interrupted.abort();
    };
    // A second one ends the process at once.
    process.once('SIGINT', interrupt);
    const store = new PartStore();
    try {
      await upload(paths, options, store, terminal, interrupted.signal);
    } catch (error) {
      if (!interrupted.signal.aborted) throw error;
      throw new CommandError('interrupted', INTERRUPTED);
    } finally {
      process.off('SIGINT', interrupt);
      store.close();
    }
  });
}

async function upload(
  paths: readonly string[],
  options: UploadOptions,
  store: PartStore,
  terminal: Output,
  signal: AbortSignal,
): Promise<void> {
  const { client, url, token } = connectionOf(options, terminal);
  const { family } = options;
  if (paths.filter((path) => path === '-').length > 1) {
    throw new CommandError('standard input can be given once only', 2);
  }
  const progress = new Progress(terminal);
  const files: DividedFile[] = [];
  for (const [index, path] of paths.entries()) {
    files.push(await divideFile(path, index, family, store, progress, terminal, signal));
  }
  const digests = files.map(({ digest }) => digest);
  const identity = { url, family, token, digests };
  const journal = Journal.open(terminal.env, identity, options.resume === true);

  const parts = files.flatMap((file) => file.parts);
  const settled = (file: DividedFile, part: StoredPart): void => {
    const record = journal.get(part.id)?.record;
    const place = `${file.name}: request ${file.parts.indexOf(part) + 1} of ${file.parts.length}`;
    const outcome =
      record === undefined
        ? sender.errors.get(part.id)!
        : `${record.status} (${record.requestId}, ${part.rows} rows)`;
    progress.line(`${place}: ${outcome}`, record?.status !== 'succeeded');
    const { succeeded, failed } = countsOf(parts, journal);
    const text = `${succeeded + failed} of ${parts.length} requests, ${failed} failed`;
    progress.bar(succeeded + failed, parts.length, text);
  };
  const sender = new Sender(client, family, store, journal, settled, signal);
  try {
    await sender.send(files, options.concurrency);
  } finally {
    progress.clear();
    journal.save();
  }
  for (const file of files) {
    const { summary, text } = summaryOf(file, journal, store);
    terminal.result(summary, text);
  }
  const { failed, open } = countsOf(parts, journal);
  if (open === 0) journal.remove();
  else terminal.hint(`to go on, give the same command with --resume (state: ${journal.path})\n`);
  if (signal.aborted) throw new CommandError('interrupted', INTERRUPTED);
  if (failed + open > 0) {
    const message = `${failed + open} of ${parts.length} requests did not succeed`;
    throw new CommandError(message, failed === 0 && sender.isAway ? UNREACHABLE : 1);
  }
}

/** @throws CommandError when the file cannot be uploaded; the reason has been printed then */
async function divideFile(
  path: string,
  index: number,
  family: FamilyName,
  store: PartStore,
  progress: Progress,
  terminal: Output,
  signal: AbortSignal,
): Promise<DividedFile> {
  const source = await openSource(path, process.stdin, signal, (bytes, size) => {
    progress.bar(bytes, size, `reading ${path}`);
  });
  try {
    const parts: StoredPart[] = [];
    const problems = new Problems();
    const { rows } = await divide(familyNamed(family), source, {
      part: (part) => {
        signal.throwIfAborted();
        if (!problems.any) parts.push(store.add(index, part));
      },
      malformedRow: ({ number }, message) => {
        problems.add(FILE, number, `row ${number}: ${message}`);
      },
      problem: (column, message) => {
        problems.add(column, 0, message);
      },
    });
    progress.clear();
    if (problems.any) {
      const lines = [source.name, ...problems.lines()];
      const counts = { requests: 0, succeeded: 0, failed: 0, open: 0, failedRequests: [] };
      const summary: Summary = {
        ...counts,
        file: source.name,
        rows,
        reason: problems.byColumn(),
      };
      terminal.result(summary, lines.map((line) => `${line}\n`).join(''));
      throw new CommandError(`${source.name} cannot be uploaded, nothing was sent`);
    }
    progress.line(`${source.name}: ${rows} rows in ${parts.length} requests`);
    return { name: source.name, digest: source.digest(), rows, parts };
  } finally {
    progress.clear();
    await source.close();
  }
}

function concurrencyOf(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_CONCURRENCY) return number;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_CONCURRENCY}.`);
}
