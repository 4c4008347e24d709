import type { Family } from '../../../domain/families/index.js';
import { prepareUpload, type UploadFacts } from '../../../csv/prepare-upload.js';
import { RowFindings, type WrongRow, wrongRowsOf } from '../../../csv/wrong-rows.js';
import type { PackedPart } from '../upload/packer.js';
import { fileRow } from '../upload/summary.js';

/**
 * Judges a part as the service would, and gives the rows that it would refuse, by their numbers in
 * the file.
 */
export function wrongRowsOfPart(family: Family, part: PackedPart, facts: UploadFacts): WrongRow[] {
  const { content, rowNumbers } = part;
  const found = new RowFindings();
  prepareUpload(family, [content], facts, {
    listener: (column, row, message) => {
      found.add(column, row, message);
    },
  });
  if (found.size === 0) return [];
  return wrongRowsOf(content, found).rows.map((wrong) => ({
    ...wrong,
    row: fileRow(wrong.row, rowNumbers),
  }));
}
