import { type Command, Option } from 'commander';
import { convert } from '../../csv/spreadsheet/convert.js';
import {
  type Answers,
  type Detection,
  isForeign,
  type Question,
} from '../../csv/spreadsheet/detection.js';
import { detect, familyOf, surveyed, type SurveyedFile } from '../../csv/spreadsheet/detect.js';
import { textOf } from '../../csv/spreadsheet/text-encoding.js';
import { DATE_FORMS, DECIMAL_MARKS } from '../../csv/spreadsheet/value-forms.js';
import { type Family, type FamilyName, familyNamed } from '../../domain/families/index.js';
import { foundResult, foundText, optionsText, questionText } from './convert-text.js';
import { timeZoneOption } from './options.js';
import { outputFor, outputQuestion, writeOutput } from './output-file.js';
import { asking } from './preview.js';
import { untilInterrupted } from './process-terminal.js';
import { CommandError, type Output, printableLine } from './terminal.js';
import { Progress } from './upload/progress.js';
import { familyOption } from './upload/service-options.js';
import { contentOf, openSource } from './upload/source.js';
import { factsNow, judge, type Judgement } from './validate/judge.js';

interface ConvertOptions extends Answers {
  readonly family?: FamilyName;
  readonly output?: string;
  readonly timeZone: string;
  readonly yes?: true;
}

/** A file is converted in memory. A spreadsheet has at most 1,048,576 rows. */
const MAX_BYTES = 256 * 1_048_576;
const NOTHING_WRITTEN = 'nothing was written';

const HELP = `
It recognises semicolons and tabs as separators, UTF-16 and Windows-1252, decimal commas, separators
of thousands, dates such as 31.12.2026 and 12/31/2026, and column names in another case. It shows
what it would change, and asks before it writes. A date or a number is asked for only when no other
row of its column decides; without a terminal the command ends with 2 and names the option.

FILE stays as it is. The converted file is valid by the rules of custom-data validate, or it is not
written. INTEGRATED_CHANNELS is to be what it is for the service.

Exit codes: 0 the file was converted or is valid as it is, 1 it cannot be converted to a valid one
or the answer was no, 2 the command is not understood or lacks an option, 130 interrupted.`;

export function addConvertCommand(program: Command, terminal: Output): void {
  program
    .command('convert')
    .description('make a valid file of one that a spreadsheet has saved')
    .argument('<file>', 'a file, or - for standard input')
    .addOption(familyOption().makeOptionMandatory(false))
    .option('--output <out>', 'write here, also over a file (default: NAME.converted.csv, if new)')
    .addOption(new Option('--dates <form>', 'what ambiguous dates are').choices(DATE_FORMS))
    .addOption(new Option('--decimal <mark>', 'what ambiguous numbers have').choices(DECIMAL_MARKS))
    .addOption(new Option('--counts <mark>', 'the same of counts').choices(DECIMAL_MARKS))
    .addOption(timeZoneOption("the account's time zone, which says what day it is"))
    .option('--yes', 'do not ask')
    .addHelpText('after', HELP)
    .action((path: string, options: ConvertOptions) => convertFile(path, options, terminal));
}

async function convertFile(path: string, options: ConvertOptions, terminal: Output): Promise<void> {
  const isSilent = options.yes === true;
  const output = await outputFor(path, options.output);
  const { name, file } = await surveyedFile(path, options.family, terminal);
  const { family } = file;
  const show = (detection: Detection, judgement?: Judgement): void => {
    const isOutputGiven = options.output !== undefined;
    const named = { name, family: family.name, output: output.path, isOutputGiven };
    const found = { ...named, detection, judgement };
    terminal.result(foundResult(found), foundText(found));
  };

  const { dates, decimal, counts } = options;
  let answers: Answers = { dates, decimal, counts };
  let detection = detect(file, answers);
  if (detection.reason !== null) {
    show(detection);
    throw new CommandError(`${name} cannot be converted, ${NOTHING_WRITTEN}`);
  }
  if (detection.questions.length > 0) {
    if (isSilent || terminal.ask === undefined) {
      show(detection);
      throw new CommandError(`${name} is ambiguous: give ${optionsText(detection.questions)}`, 2);
    }
    answers = await answersTo(detection.questions, answers, terminal, terminal.ask);
    detection = detect(file, answers);
  }

  const content = convert(file, answers);
  const judgement = await judge(family, contentOf(content), factsNow(options.timeZone, terminal));
  show(detection, judgement);
  if (judgement.problems.any) {
    throw new CommandError(
      isForeign(detection)
        ? `${name} would not be valid once converted, ${NOTHING_WRITTEN}`
        : `${name} is not valid, and there is nothing to convert`,
    );
  }
  // A file that was named is written in any case: an older one there must not pass for this one.
  if (!isForeign(detection) && options.output === undefined) return;
  await asking(terminal, isSilent, NOTHING_WRITTEN)(outputQuestion(output));
  await untilInterrupted((signal) => writeOutput(output, content, signal));
  terminal.hint(`wrote ${output.path}\n`);
}

/**
 * Reads a file. Its bytes are not kept: with them it would be in memory twice.
 *
 * @throws CommandError
 */
async function surveyedFile(
  path: string,
  family: FamilyName | undefined,
  terminal: Output,
): Promise<{ readonly name: string; readonly file: SurveyedFile }> {
  const { name, bytes } = await wholeFile(path, terminal);
  const text = textOf(bytes);
  if (text.encoding === null && family === undefined) {
    throw new CommandError(
      `${name} is neither UTF-8 nor UTF-16 nor Windows-1252; save a workbook as CSV first`,
    );
  }
  return { name, file: surveyed(text, familyIn(name, text.text, family)) };
}

/** @throws CommandError */
async function wholeFile(
  path: string,
  terminal: Output,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const progress = new Progress(terminal);
  const { signal } = new AbortController();
  const source = await openSource(path, progress, signal);
  try {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of source.pieces()) {
      size += piece.length;
      if (size > MAX_BYTES) {
        throw new CommandError(`${source.name} is larger than ${MAX_BYTES} bytes: divide it first`);
      }
      pieces.push(Buffer.from(piece));
    }
    return { name: source.name, bytes: Buffer.concat(pieces, size) };
  } finally {
    progress.clear();
    await source.close();
  }
}

/** @throws CommandError 2 when the file does not tell its family */
function familyIn(name: string, text: string, given: FamilyName | undefined): Family {
  const family = given === undefined ? familyOf(text) : familyNamed(given);
  if (family !== undefined) return family;
  const message = `the column names of ${name} do not tell its family: give --family`;
  throw new CommandError(message, 2);
}

/** @throws CommandError when an answer is none of those that were offered */
async function answersTo(
  questions: readonly Question[],
  given: Answers,
  terminal: Output,
  ask: (question: string) => Promise<string>,
): Promise<Answers> {
  let answers = given;
  for (const question of questions) {
    terminal.hint(`${printableLine(questionText(question))}\n`);
    const forms = question.options.map(({ form }) => form);
    const answer = (await ask(`${forms.join(' or ')}? `)).toLowerCase();
    const form = forms.find((each) => each.toLowerCase() === answer);
    if (form === undefined) throw new CommandError(NOTHING_WRITTEN);
    answers = { ...answers, [question.asks]: form };
  }
  return answers;
}
