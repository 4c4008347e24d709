import { type Family, keyColumns } from '../../domain/families/index.js';
import type { Warehouse } from '../../warehouse/warehouse.js';
import type { UploadToStore } from './storage-block.js';

/** A server takes a parameter of at most 128 KiB; a version has up to 39 digits. */
const VERSIONS_PER_QUERY = 3_000;

/** What a reader finds of a batch. */
export interface ReadBack {
  /** By version: the rows found, those included that a later upload has already replaced. */
  readonly rows: ReadonlyMap<bigint, number>;
  /** Uploads of which something is neither there nor superseded. */
  readonly absent: readonly UploadToStore[];
}

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
  const absent: UploadToStore[] = [];
  for (const upload of uploads) {
    const found = storedOf.get(upload.version);
    const { keys, rows: expected } = upload.prepared;
    if (Number(found?.keys ?? 0) === keys) rows.set(upload.version, Number(found!.found));
    // Replays store a key at the same version more than once until a merge.
    else if (Number(found?.keys ?? 0) > keys) rows.set(upload.version, expected);
    else if (await isSuperseded(warehouse, database, family, upload)) {
      rows.set(upload.version, expected);
    } else absent.push(upload);
  }
  return { rows, absent };
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
  for (let from = 0; from < uploads.length; from += VERSIONS_PER_QUERY) {
    const some = uploads.slice(from, from + VERSIONS_PER_QUERY);
    const found = await warehouse.query<StoredVersion>(
      `SELECT toString(version) AS upload, count() AS keys, sum(rows.size0) AS found
       FROM ${database}.${family.table}
       WHERE version IN {versions:Array(UInt128)}
       GROUP BY version`,
      { versions: some.map(({ version }) => version) },
    );
    for (const row of found) stored.set(BigInt(row.upload), row);
  }
  return stored;
}

/** Whether each of the upload's keys is stored at its version or a later one. */
async function isSuperseded(
  warehouse: Warehouse,
  database: string,
  family: Family,
  upload: UploadToStore,
): Promise<boolean> {
  const [days, firsts, seconds] = upload.prepared.keyColumns;
  const keyDays = new Uint16Array(days!.buffer, days!.byteOffset, upload.prepared.keys);
  let from = 0xffff;
  let to = 0;
  for (const day of keyDays) {
    if (day < from) from = day;
    if (day > to) to = day;
  }
  const [date, first, second] = keyColumns(family).map(({ name }) => name);
  const later = await warehouse.query<{ day: number; a: string; b: string }>(
    `SELECT DISTINCT toUInt16(${date!}) AS day, ${first!} AS a, ${second!} AS b
     FROM ${database}.${family.table}
     WHERE account = {account:String}
       AND ${date!} BETWEEN toDate({from:UInt16}) AND toDate({to:UInt16})
       AND version >= {version:UInt128}`,
    { account: upload.account, from, to, version: upload.version },
  );
  const stored = new Set(later.map(({ day, a, b }) => `${day}\0${a}\0${b}`));
  const channels = nativeStrings(firsts!);
  const names = nativeStrings(seconds!);
  for (let key = 0; key < keyDays.length; key++) {
    if (!stored.has(`${keyDays[key]!}\0${channels[key]!}\0${names[key]!}`)) return false;
  }
  return true;
}

/** The values of a Native `String` column. */
function nativeStrings(column: Uint8Array): string[] {
  const buffer = Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  const values: string[] = [];
  let at = 0;
  while (at < buffer.length) {
    let length = buffer[at++]!;
    if (length >= 0x80) length = (length & 0x7f) | (buffer[at++]! << 7);
    values.push(buffer.toString('utf8', at, at + length));
    at += length;
  }
  return values;
}
