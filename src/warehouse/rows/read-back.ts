import type { Family } from '../../domain/families/index.js';
import { blockOf, column } from '../native/block.js';
import { UINT128 } from '../native/column-types.js';
import { MOST_ASKED, type Warehouse } from '../warehouse.js';
import type { ReadBack, UploadToStore } from '../row-store.js';
import { supersededAmong } from './superseded.js';

/**
 * Reads back what a batch stored: every upload's keys at its version, or superseded by a later one.
 *
 * By version first (a skip index finds the few parts that hold a batch's versions). Only for uploads
 * of which keys are then missing, because a merge has already replaced them, by key.
 */
export async function readBack(
  warehouse: Warehouse,
  database: string,
  family: Family,
  uploads: readonly UploadToStore[],
): Promise<ReadBack> {
  const storedOf = await storedByVersion(warehouse, database, family, uploads);
  const rows = new Map<bigint, number>();
  const missing: UploadToStore[] = [];
  for (const upload of uploads) {
    const found = storedOf.get(upload.version);
    const { keys, rows: expected } = upload.prepared;
    if (Number(found?.keys ?? 0) === keys) rows.set(upload.version, Number(found!.found));
    // Replays store a key at the same version more than once until a merge.
    else if (Number(found?.keys ?? 0) > keys) rows.set(upload.version, expected);
    else missing.push(upload);
  }
  const superseded = await supersededAmong(warehouse, database, family, missing);
  for (const { version, prepared } of superseded) rows.set(version, prepared.rows);
  return { rows, absent: missing.filter((upload) => !superseded.has(upload)) };
}

interface StoredVersion {
  readonly upload: string;
  readonly keys: string;
  readonly found: string;
}

async function storedByVersion(
  warehouse: Warehouse,
  database: string,
  family: Family,
  uploads: readonly UploadToStore[],
): Promise<ReadonlyMap<bigint, StoredVersion>> {
  const stored = new Map<bigint, StoredVersion>();
  for (let from = 0; from < uploads.length; from += MOST_ASKED) {
    const versions = uploads.slice(from, from + MOST_ASKED).map(({ version }) => version);
    const found = await warehouse.lookUp<StoredVersion>(
      `SELECT toString(version) AS upload, count() AS keys, sum(csv_rows.size0) AS found
       FROM ${database}.${family.table}
       WHERE version IN (SELECT version FROM asked)
       GROUP BY version`,
      blockOf([column('version', UINT128, versions)], versions.length),
    );
    for (const row of found) stored.set(BigInt(row.upload), row);
  }
  return stored;
}
