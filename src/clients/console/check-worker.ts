import { annotatedLines, MAX_ANNOTATED_ROWS } from '../../csv/annotated-rows.js';
import { FILE } from '../../csv/findings.js';
import { prepareUpload } from '../../csv/prepare-upload.js';
import { convert, convertedName, quoted } from '../../csv/spreadsheet/convert.js';
import { type Detection, isForeign } from '../../csv/spreadsheet/detection.js';
import { detect, surveyed } from '../../csv/spreadsheet/detect.js';
import { textOf } from '../../csv/spreadsheet/text-encoding.js';
import type { Verdict } from '../../csv/verdict.js';
import { RowFindings, wrongRowsOf } from '../../csv/wrong-rows.js';
import { dayInTimeZone } from '../../domain/days.js';
import { messageOf } from '../../domain/failure.js';
import { type FamilyName, familyNamed } from '../../domain/families/index.js';
import type { CheckAnswer, Checked, CheckTask, Numbered } from './check-messages.js';
import { type Content, ContentError, contentOf, tooLarge } from './file-content.js';
import { mistakesIn } from './texts.js';

/** The row path says so of a file that has to be divided. */
const TOO_MANY_ROWS = /^the file has \d+ data rows, at most /;

/** Judges files with the service's own modules, off the page's thread. */

addEventListener('message', ({ data }: MessageEvent<Numbered<CheckTask>>) => {
  void answerTo(data.body).then((body) => {
    const answer: Numbered<CheckAnswer> = { id: data.id, body };
    postMessage(answer);
  });
});

async function answerTo(task: CheckTask): Promise<CheckAnswer> {
  try {
    return await check(task);
  } catch (error) {
    if (error instanceof ContentError) {
      return { kind: 'unread', why: error.message, isTooLarge: error.isTooLarge };
    }
    // The browser's own: the file was changed or removed after it was chosen.
    const why = `The file cannot be read: ${messageOf(error)}`;
    return { kind: 'unread', why, isTooLarge: false };
  }
}

async function check(task: CheckTask): Promise<CheckAnswer> {
  const { file, family, annotate, convert: answers } = task;
  const content = await contentOf(file, family);
  if (answers !== undefined) {
    const pieces = convert(surveyed(textOf(content.bytes), familyNamed(family)), answers);
    const made = new File(pieces, convertedName(file.name), { type: 'text/csv' });
    const found = checked(task, await contentOf(made, family));
    return { kind: 'converted', file: made, checked: { ...found, detection: null } };
  }
  if (annotate === undefined) return checked(task, content);
  const { found } = judged(task, content.bytes);
  if (annotate.reason !== null) addMistakes(found, annotate.reason);
  return { kind: 'annotated', csv: annotatedCsv(content.bytes, found) };
}

function judged(
  { family, timeZone }: CheckTask,
  bytes: Uint8Array,
): { readonly verdict: Verdict; readonly found: RowFindings } {
  const facts = {
    finding: null,
    requestDay: dayInTimeZone(Date.now(), timeZone),
    // Only the service knows which channels have cost integration.
    integratedChannels: [],
  };
  const found = new RowFindings();
  const verdict = prepareUpload(familyNamed(family), [bytes], facts, {
    listener: (column, row, text) => {
      if (found.size < MAX_ANNOTATED_ROWS) found.add(column, row, text);
    },
  });
  return { verdict, found };
}

/** @throws ContentError */
function checked(task: CheckTask, { bytes, sent, isPackedHere }: Content): Checked {
  const { verdict, found } = judged(task, bytes);
  if (
    !verdict.valid &&
    mistakesIn(verdict.reason).some(({ message }) => TOO_MANY_ROWS.test(message))
  )
    throw tooLarge(task.family);
  return {
    kind: 'checked',
    reason: verdict.valid ? null : verdict.reason,
    rows: verdict.valid ? verdict.upload.rows : 0,
    wrongRows: found.size,
    sent,
    isPackedHere,
    detection: verdict.valid ? null : conversionOf(bytes, task.family),
  };
}

function conversionOf(bytes: Uint8Array, family: FamilyName): Detection | null {
  const detection = detect(surveyed(textOf(bytes), familyNamed(family)));
  return isForeign(detection) ? detection : null;
}

/** What the service found and this check did not, such as a channel with cost integration. */
function addMistakes(found: RowFindings, reason: string): void {
  for (const { row, column, message } of mistakesIn(reason)) {
    if (row === undefined || row === 1) continue;
    const isKnown = found.of(row)?.some((known) => known.column === column);
    if (isKnown !== true) found.add(column, row, message);
  }
}

function annotatedCsv(bytes: Uint8Array, found: RowFindings): Blob {
  const { columns, rows } = wrongRowsOf(bytes, found);
  const lines = annotatedLines(
    columns,
    rows.map(({ row, values, findings }) => ({
      row,
      values,
      messages: findings.map(({ column, message }) =>
        column === FILE ? message : `${column} ${message}`,
      ),
    })),
  );
  // Spreadsheets know UTF-8 by the byte order mark.
  const parts = lines.map((line) => `${line.map(quoted).join(',')}\r\n`);
  return new Blob(['\ufeff', ...parts], { type: 'text/csv;charset=utf-8' });
}
