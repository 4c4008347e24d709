import { type Command, InvalidArgumentError, Option } from 'commander';
import type { FamilyName } from '../../domain/families/index.js';
import type { UploadClient } from '../api/index.js';
import { asking, showPreviews } from './preview.js';
import { untilInterrupted } from './process-terminal.js';
import { CommandError, INTERRUPTED, type Output, UNREACHABLE } from './terminal.js';
import { divideFiles, type MalformedFile } from './upload/divide-file.js';
import { Journal } from './upload/journal.js';
import { type DividedFile, PartStore, type StoredPart } from './upload/part-store.js';
import { Progress } from './upload/progress.js';
import { Sender } from './upload/sender.js';
import {
  addServiceOptions,
  connectionOf,
  familyOption,
  type ServiceOptions,
} from './upload/service-options.js';
import { countsOf, malformedSummary, summaryOf } from './upload/summary.js';

interface UploadOptions extends ServiceOptions {
  readonly family: FamilyName;
  readonly concurrency: number;
  readonly resume?: true;
  readonly preview?: true;
  readonly yes?: true;
}

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

Temporary files take about two and a half times the size of the FILEs, in TMPDIR, and once more the
size of standard input. The state of an unfinished upload is kept below XDG_STATE_HOME (default
~/.local/state); --resume goes on with it.

Exit codes: 0 everything succeeded, 1 something failed or was refused, 2 the command is not
understood or has to ask and cannot, 3 the service does not answer or is busy, 130 interrupted.`;

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
    .option('--preview', 'show what the files would replace, and ask before they are sent')
    .option('--yes', 'with --preview: do not ask')
    .addHelpText('after', HELP);
  addServiceOptions(command).action(async (paths: string[], options: UploadOptions) => {
    const store = new PartStore();
    try {
      await untilInterrupted((signal) => upload(paths, options, store, terminal, signal));
    } finally {
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
  const progress = new Progress(terminal);
  const refused = (file: MalformedFile): CommandError => {
    const { summary, text } = malformedSummary(file);
    terminal.result(summary, text);
    return new CommandError(`${file.name} cannot be uploaded, nothing was sent`);
  };
  const files = await divideFiles(paths, family, store, progress, refused, signal);
  if (options.preview === true) {
    await confirmed(client, files, options, store, progress, terminal, signal);
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
  else if (!sender.isOver) {
    terminal.hint(`to go on, give the same command with --resume (state: ${journal.path})\n`);
  }
  if (signal.aborted) throw new CommandError('interrupted', INTERRUPTED);
  if (failed + open > 0) {
    const message = `${failed + open} of ${parts.length} requests did not succeed`;
    throw new CommandError(message, failed === 0 && sender.isAway ? UNREACHABLE : 1);
  }
}

/**
 * Shows the previews of all files, and asks whether to send them.
 *
 * @throws CommandError when a file is not valid, nobody can be asked, or the answer is no
 */
async function confirmed(
  client: UploadClient,
  files: readonly DividedFile[],
  { family, yes }: UploadOptions,
  store: PartStore,
  progress: Progress,
  terminal: Output,
  signal: AbortSignal,
): Promise<void> {
  const ask = asking(terminal, yes === true);
  const wrong = await showPreviews(client, family, files, store, progress, terminal, ask, signal);
  if (wrong > 0) {
    throw new CommandError(`${wrong} of ${files.length} files are not valid, nothing was sent`);
  }
  await ask(files.length === 1 ? 'Send the file?' : 'Send the files?');
}

function concurrencyOf(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_CONCURRENCY) return number;
  throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_CONCURRENCY}.`);
}
