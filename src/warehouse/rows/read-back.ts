import { type Family, keyColumns } from '../../domain/families/index.js';
import { blockOf, column, UINT128, type NativeColumn, STRING, UINT32 } from '../native/block.js';
import { ColumnCursor } from '../native/column-cursor.js';
import { MOST_ASKED, type Warehouse, type NativeBlock } from '../warehouse.js';
import type { ReadBack, UploadToStore } from '../row-store.js';
import { overwriteKeys } from './storage-block.js';

/**
 * Reads back what a batch stored: every upload's keys at its version, or superseded by a later one.
 *
 * By version first: a skip index finds the few parts that hold a batch's versions. By key only for
 * uploads with missing keys, because a merge has already replaced them, and for those with other rows
 * than expected: a replay may have stored one key twice while another was replaced.
 */
export async function readBack(
  warehouse: Warehouse,
  database: string,
  family: Family,
  uploads: readonly UploadToStore[],
): Promise<ReadBack> {
  const storedOf = await storedByVersion(warehouse, database, family, uploads);
  const rows = new Map<bigint, number>();
  /** With the rows that were found if no key is missing. */
  const unclear = new Map<UploadToStore, number | undefined>();
  for (const upload of uploads) {
    const stored = storedOf.get(upload.version);
    const [keys, found] = [Number(stored?.keys ?? 0), Number(stored?.found ?? 0)];
    const { version, prepared } = upload;
    const isWhole = keys === prepared.keys;
    // Replays store a key at the same version more than once until a merge.
    if (keys > prepared.keys || (isWhole && found === prepared.rows)) {
      rows.set(version, prepared.rows);
    } else unclear.set(upload, isWhole ? found : undefined);
  }
  const latest = await latestOf(warehouse, database, family, [...unclear.keys()]);
  for (const [upload, { keys, replaced }] of latest) {
    const { version, prepared } = upload;
    if (keys < prepared.keys) continue;
    const found = replaced > 0 ? undefined : unclear.get(upload);
    rows.set(version, found ?? prepared.rows);
  }
  return rows;
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
      `SELECT toString(version) AS upload, count() AS keys, sum(if(csv_rows.size0 = 0, combinations.size0, csv_rows.size0)) AS found
       FROM ${database}.${family.table}
       WHERE version IN (SELECT version FROM asked)
       GROUP BY version`,
      blockOf([column('version', UINT128, versions)], versions.length),
    );
    for (const row of found) stored.set(BigInt(row.upload), row);
  }
  return stored;
}

/** Some overwrite keys of an upload. */
interface AskedKeys {
  readonly upload: UploadToStore;
  readonly keys: number;
  /** Their days and two texts, as Native columns. */
  readonly columns: readonly Uint8Array[];
}

/** All keys of the uploads, at most `most` at a time; the keys of a larger upload are cut. */
export function* keysInPieces(
  uploads: readonly UploadToStore[],
  most: number,
): Generator<AskedKeys[], void> {
  let piece: AskedKeys[] = [];
  let room = most;
  for (const upload of uploads) {
    const { keys, keyColumns } = upload.prepared;
    // Days of two bytes, then two texts.
    const cursors = keyColumns.map(
      (bytes, index) => new ColumnCursor(bytes, index === 0 ? 2 : 'text'),
    );
    for (let left = keys; left > 0;) {
      const count = Math.min(room, left);
      piece.push({ upload, keys: count, columns: cursors.map((cursor) => cursor.take(count)) });
      left -= count;
      room -= count;
      if (room > 0) continue;
      yield piece;
      piece = [];
      room = most;
    }
  }
  if (piece.length > 0) yield piece;
}

/** A row a key: the place of its upload in `asked`, the account, the key's columns, the version. */
export function blockOfKeys(family: Family, asked: readonly AskedKeys[]): NativeBlock {
  const repeated = (
    name: string,
    type: string,
    value: (of: AskedKeys, index: number) => Uint8Array,
  ): NativeColumn => ({
    name,
    type,
    parts: asked.map((of, index) => {
      const bytes = value(of, index);
      return Buffer.alloc(bytes.length * of.keys, bytes);
    }),
  });
  const keys = asked.map(({ columns }) => columns);
  return blockOf(
    [
      repeated('upload', 'UInt32', (_, index) => UINT32.write([index])),
      repeated('account', 'String', ({ upload }) => STRING.write([upload.account])),
      ...overwriteKeys(family, keys),
      repeated('version', 'UInt128', ({ upload }) => UINT128.write([upload.version])),
    ],
    asked.reduce((sum, of) => sum + of.keys, 0),
  );
}

/** Of an upload: how many of its keys are stored, at its version or a later one, and how many later. */
interface LatestKeys {
  readonly keys: number;
  readonly replaced: number;
}

/**
 * By upload. None of its keys is stored if it is not there.
 *
 * The keys of many uploads go to the warehouse at once: an account that sends the same key in many
 * small files has most of them superseded before they are read back. The answer is two numbers for
 * each upload. So a replay asks for and gets no more than any other batch, however many keys the
 * account has.
 */
async function latestOf(
  warehouse: Warehouse,
  database: string,
  family: Family,
  uploads: readonly UploadToStore[],
): Promise<ReadonlyMap<UploadToStore, LatestKeys>> {
  const found = new Map<UploadToStore, LatestKeys>();
  const key = ['account', ...keyColumns(family).map(({ name }) => name)].join(', ');
  for (const asked of keysInPieces(uploads, MOST_ASKED)) {
    const rows = await warehouse.lookUp<{ upload: number; keys: string; replaced: string }>(
      // Versions below the lowest do not matter: most parts need not be read.
      `SELECT upload, count() AS keys, countIf(latest > asked.version) AS replaced
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
    for (const { upload: index, keys, replaced } of rows) {
      const { upload } = asked[index]!;
      const before = found.get(upload);
      found.set(upload, {
        keys: (before?.keys ?? 0) + Number(keys),
        replaced: (before?.replaced ?? 0) + Number(replaced),
      });
    }
  }
  return found;
}
