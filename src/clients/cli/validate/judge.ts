import { membersOf } from '../../../config/members-of.js';
import { FILE } from '../../../csv/findings.js';
import { prepareUpload, type UploadFacts } from '../../../csv/prepare-upload.js';
import { RowFindings, wrongRowsOf } from '../../../csv/wrong-rows.js';
import { dayInTimeZone } from '../../../domain/days.js';
import type { Family } from '../../../domain/families/index.js';
import type { Terminal } from '../terminal.js';
import { divide, valuesOf } from '../upload/divide.js';
import { Problems } from '../upload/problems.js';
import type { FileContent } from '../upload/source.js';
import { fileRow } from '../upload/summary.js';
import { AnnotatedFile } from './annotated-file.js';

/** What the service would say of a file. */
export interface Judgement {
  /** Rows of data. */
  readonly rows: number;
  readonly wrongRows: number;
  /** The names in the header, as they stand there. */
  readonly columns: readonly string[];
  /** None: the file is valid. */
  readonly problems: Problems;
  readonly annotated: AnnotatedFile;
}

/** The facts of an upload that were sent now, as far as they are known here. */
export function factsNow(timeZone: string, { env }: Terminal): UploadFacts {
  return {
    finding: null,
    requestDay: dayInTimeZone(Date.now(), timeZone),
    integratedChannels: membersOf(env['INTEGRATED_CHANNELS'] ?? ''),
  };
}

/** Judges a file of any size by the rules of the service, part by part. */
export async function judge(
  family: Family,
  content: FileContent,
  facts: UploadFacts,
): Promise<Judgement> {
  const problems = new Problems();
  const annotated = new AnnotatedFile();
  let wrongRows = 0;
  let parts = 0;
  const { rows, columns, hint } = await divide(family, content, {
    part: (part) => {
      parts++;
      const found = new RowFindings();
      prepareUpload(family, [part.content], facts, { listener: found.add.bind(found) });
      // Otherwise the part would be read again.
      if (found.size === 0) return;
      for (const { row: rowOfPart, values, findings } of wrongRowsOf(part.content, found).rows) {
        // Every part has the header, which was checked with the first.
        if (rowOfPart === 1 && parts > 1) continue;
        const row = fileRow(rowOfPart, part.rowNumbers);
        wrongRows++;
        for (const { column, message } of findings) {
          problems.add(column, row, `row ${row}: ${message}`);
        }
        const messages = findings.map(({ column, message }) => `${column} ${message}`);
        annotated.add(row, values, messages);
      }
    },
    malformedRow: (row, message) => {
      wrongRows++;
      problems.add(FILE, row.number, `row ${row.number}: ${message}`);
      annotated.add(row.number, valuesOf(row), [message]);
    },
    problem: (column, message) => {
      problems.add(column, 0, message);
    },
  });
  if (problems.any && hint !== undefined) problems.addForCertain(FILE, hint);
  return { rows, wrongRows, columns, problems, annotated };
}
