import { type Family, keyColumns } from '../../domain/families/index.js';
import { MOST_ASKED, type Warehouse } from '../warehouse.js';
import { blockOfKeys, keysInPieces } from './asked-keys.js';
import type { UploadToStore } from '../row-store.js';

/**
 * Those of a family's uploads of which each key is stored at their version or a later one.
 *
 * The keys go to the warehouse, many uploads' at once: an account that sends the same key in many small
 * files has most of them superseded before they are read back. What comes back is a number an upload.
 * So a replay asks for and gets no more than any other batch, however many keys the account has.
 */
export async function supersededAmong(
  warehouse: Warehouse,
  database: string,
  family: Family,
  uploads: readonly UploadToStore[],
): Promise<ReadonlySet<UploadToStore>> {
  const found = new Map<UploadToStore, number>();
  const key = ['account', ...keyColumns(family).map(({ name }) => name)].join(', ');
  for (const asked of keysInPieces(uploads, MOST_ASKED)) {
    const rows = await warehouse.lookUp<{ upload: number; keys: string }>(
      // No version below the lowest is of use: that leaves most parts unread.
      `SELECT upload, count() AS keys
       FROM asked
       INNER JOIN (
         SELECT ${key}, max(version) AS latest
         FROM ${database}.${family.table}
         WHERE version >= (SELECT min(version) FROM asked) AND (${key}) IN (SELECT ${key} FROM asked)
         GROUP BY ${key}
       ) AS stored USING (${key})
       WHERE latest >= asked.version
       GROUP BY upload`,
      blockOfKeys(family, asked),
    );
    for (const { upload: index, keys } of rows) {
      const { upload } = asked[index]!;
      found.set(upload, (found.get(upload) ?? 0) + Number(keys));
    }
  }
  return new Set(uploads.filter((upload) => found.get(upload) === upload.prepared.keys));
}
