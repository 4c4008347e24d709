import type { Command } from 'commander';
import { type FamilyName, familyNamed } from '../../domain/families/index.js';
import { timeZoneOption } from './options.js';
import { outputFor } from './output-file.js';
import { CommandError, type Output, textOfLines } from './terminal.js';
import { Progress } from './upload/progress.js';
import { familyOption } from './upload/service-options.js';
import { openSource } from './upload/source.js';
import { factsNow, judge } from './validate/judge.js';

interface ValidateOptions {
  readonly family: FamilyName;
  readonly annotate?: string;
  readonly timeZone: string;
}

const HELP = `
The rules are the service's own, and a file of any size is judged in the parts in which
custom-data upload would send it. INTEGRATED_CHANNELS is to be what it is for the service.

The annotated file has the wrong rows (at most 100,000) and a column "error". Cells that a
spreadsheet would take for a formula get an apostrophe in front; numbers such as -1.5 do not.

Exit codes: 0 the file is valid, 1 it is not, 2 the command is not understood, 130 interrupted.`;

export function addValidateCommand(program: Command, terminal: Output): void {
  program
    .command('validate')
    .description('check a file by the rules of the service, without sending it')
    .argument('<file>', 'a CSV file, or - for standard input')
    .addOption(familyOption())
    .option('--annotate <out>', 'write the wrong rows here, as CSV that says what is wrong')
    .addOption(timeZoneOption("the account's time zone, which says what day it is"))
    .addHelpText('after', HELP)
    .action((path: string, options: ValidateOptions) => validate(path, options, terminal));
}

async function validate(path: string, options: ValidateOptions, terminal: Output): Promise<void> {
  const { annotate } = options;
  const output = annotate === undefined ? undefined : await outputFor(path, annotate);
  const progress = new Progress(terminal);
  const source = await openSource(path, progress, new AbortController().signal);
  const facts = factsNow(options.timeZone, terminal);
  const judgement = judge(familyNamed(options.family), source, facts);
  const { rows, wrongRows, columns, problems, annotated } = await judgement.finally(async () => {
    progress.clear();
    await source.close();
  });

  if (!problems.any) {
    const result = { file: source.name, rows, wrongRows, isValid: true, reason: {} };
    terminal.result(result, textOfLines([`${source.name}: ${rows} rows, valid`]));
    return;
  }
  const lines = [`${source.name}: ${rows} rows, ${wrongRows} of them wrong`, ...problems.lines()];
  terminal.result(
    { file: source.name, rows, wrongRows, isValid: false, reason: problems.byColumn() },
    textOfLines(lines),
  );
  if (output !== undefined) {
    await annotated.write(output, columns);
    const cut = annotated.isCut ? ', the first that were found' : '';
    terminal.hint(`wrote ${annotated.size} rows to ${output.path}${cut}\n`);
  }
  throw new CommandError(`${source.name} is not valid`);
}
