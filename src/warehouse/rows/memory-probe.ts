import { blockOf, STRING, UINT64, varint } from '../native/block.js';
import type { InsertSize, UploadToStore } from '../row-store.js';
import type { NativeBlock } from '../warehouse.js';

/**
 * How much larger a probe is than the insert that it stands for, so that it never needs less
 * memory. With as many bytes it needed 0.88 to 1.0 of it, by the engine's own limit: 140 MB for 55
 * MB of 300,000 keys, 72 of 82 MB with five rows a key; and 78 of 129 MB where the metric catalogue
 * groups by 300,000 metrics, 3.7 of 6.0 MB for a hundred keys. (Into a table of the engine Null it
 * needs half or less: nothing is sorted, and no part is written.)
 */
const MORE = { times: 1.7, bytes: 1_048_576 };
/** A part of the block; the same one is sent again and again. */
const PART_BYTES = 65_536;

/** The insert of a single upload. */
export function sizeOfInsert({ account, prepared }: UploadToStore): InsertSize {
  const { keys, keyColumns, combinations, csvRows, totals } = prepared;
  const columns = [...keyColumns, ...combinations.columns, ...csvRows.columns, ...totals.columns];
  // Account, version, request, time, and where the key's combinations, rows and totals end.
  const beside = account.length + 1 + 16 + 16 + 4 + 8 + 8 + 8;
  const bytes = columns.reduce((sum, { length }) => sum + length, keys * beside);
  return { account, keys, bytes };
}

/** As many rows as the insert has keys, equally unsorted, and as many bytes. */
export function probeBlock({ account, keys, bytes }: InsertSize): NativeBlock {
  const beside = account.length + 1 + 8;
  const length = Math.max(1, Math.ceil((bytes * MORE.times + MORE.bytes) / keys) - beside - 2);
  const value = Buffer.concat([varint(length), Buffer.alloc(length, 'x')]);
  // Far from the sorted order: neighbours are apart.
  const numbers = Array.from({ length: keys }, (_, index) => (index * 40_503) % 65_521);
  return blockOf(
    [
      {
        name: 'account',
        type: 'String',
        parts: repeated(Buffer.from(STRING.write([account])), keys),
      },
      { name: 'number', type: 'UInt64', parts: [UINT64.write(numbers)] },
      { name: 'payload', type: 'String', parts: repeated(value, keys) },
    ],
    keys,
  );
}

/** The value repeated; the parts share memory. */
function repeated(value: Buffer, times: number): Uint8Array[] {
  const together = Math.max(1, Math.floor(PART_BYTES / value.length));
  const many = Buffer.concat(Array<Buffer>(Math.min(times, together)).fill(value));
  const parts = Array<Uint8Array>(Math.floor(times / together)).fill(many);
  return [...parts, many.subarray(0, (times % together) * value.length)];
}
