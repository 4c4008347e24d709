import { type Family, keyColumns } from '../../domain/families/index.js';
import type { Warehouse } from '../../warehouse/warehouse.js';
import type { UploadToStore } from './storage-block.js';

/** Bound an answer, of some 100 bytes a key, and a parameter of at most 128 KiB with the accounts' names. */
const KEYS_PER_QUERY = 100_000;
const UPLOADS_PER_QUERY = 1_000;

/**
 * Those of a family's uploads of which each key is stored at their version or a later one.
 *
 * Asked for many uploads at once: an account that sends the same key in many small files has most of
 * them superseded before they are read back.
 */
export async function supersededAmong(
  warehouse: Warehouse,
  database: string,
  family: Family,
  uploads: readonly UploadToStore[],
): Promise<ReadonlySet<UploadToStore>> {
  const superseded = new Set<UploadToStore>();
  for (let from = 0; from < uploads.length;) {
    const some = leading(uploads, from);
    const latest = await latestVersions(warehouse, database, family, some);
    for (const upload of some) {
      const isLater = (key: string): boolean => (latest.get(key) ?? -1n) >= upload.version;
      if (keysOf(upload).every(isLater)) superseded.add(upload);
    }
    from += some.length;
  }
  return superseded;
}

/** The uploads from `from` on that one query may ask for, at least one. */
function leading(uploads: readonly UploadToStore[], from: number): readonly UploadToStore[] {
  let keys = 0;
  let to = from;
  do {
    keys += uploads[to++]!.prepared.keys;
  } while (
    to < uploads.length &&
    to - from < UPLOADS_PER_QUERY &&
    keys + uploads[to]!.prepared.keys <= KEYS_PER_QUERY
  );
  return uploads.slice(from, to);
}

/** By key: the highest version stored, of all keys that may be the uploads'. */
async function latestVersions(
  warehouse: Warehouse,
  database: string,
  family: Family,
  uploads: readonly UploadToStore[],
): Promise<ReadonlyMap<string, bigint>> {
  let fromDay = 0xffff;
  let toDay = 0;
  let lowest = uploads[0]!.version;
  for (const upload of uploads) {
    if (upload.version < lowest) lowest = upload.version;
    for (const day of daysOf(upload)) {
      if (day < fromDay) fromDay = day;
      if (day > toDay) toDay = day;
    }
  }
  const [date, first, second] = keyColumns(family).map(({ name }) => name);
  const stored = await warehouse.query<{
    account: string;
    day: number;
    a: string;
    b: string;
    latest: string;
  }>(
    `SELECT account, toUInt16(${date!}) AS day, ${first!} AS a, ${second!} AS b,
       toString(max(version)) AS latest
     FROM ${database}.${family.table}
     WHERE account IN {accounts:Array(String)}
       AND ${date!} BETWEEN toDate({fromDay:UInt16}) AND toDate({toDay:UInt16})
       AND version >= {lowest:UInt128}
     GROUP BY account, day, a, b`,
    { accounts: [...new Set(uploads.map(({ account }) => account))], fromDay, toDay, lowest },
  );
  return new Map(
    stored.map(({ account, day, a, b, latest }) => [keyText(account, day, a, b), BigInt(latest)]),
  );
}

function keysOf(upload: UploadToStore): string[] {
  const [, firsts, seconds] = upload.prepared.keyColumns;
  const channels = nativeStrings(firsts!);
  const names = nativeStrings(seconds!);
  return Array.from(daysOf(upload), (day, key) =>
    keyText(upload.account, day, channels[key]!, names[key]!),
  );
}

function daysOf({ prepared: { keyColumns, keys } }: UploadToStore): Uint16Array {
  const [days] = keyColumns;
  return new Uint16Array(days!.buffer, days!.byteOffset, keys);
}

function keyText(account: string, day: number, first: string, second: string): string {
  return `${account}\0${day}\0${first}\0${second}`;
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
