import { type Family, keyColumns } from '../../domain/families/index.js';
import { blockOf, type NativeColumn } from '../native/block.js';
import { STRING, UINT128, UINT32 } from '../native/column-types.js';
import type { NativeBlock } from '../warehouse.js';
import type { UploadToStore } from '../row-store.js';

/** Some of an upload's overwrite keys, side by side. */
export interface AskedKeys {
  readonly upload: UploadToStore;
  readonly keys: number;
  /** Their days and two texts, as Native columns. */
  readonly columns: readonly Uint8Array[];
}

/** All keys of the uploads, at most `most` at a time; an upload with more of them is cut. */
export function* keysInPieces(
  uploads: readonly UploadToStore[],
  most: number,
): Generator<AskedKeys[], void> {
  let piece: AskedKeys[] = [];
  let room = most;
  for (const upload of uploads) {
    const { keys, keyColumns } = upload.prepared;
    const [days, firsts, seconds] = keyColumns as [Uint8Array, Uint8Array, Uint8Array];
    let first = 0;
    let second = 0;
    for (let from = 0; from < keys;) {
      const count = Math.min(room, keys - from);
      const firstEnd = afterStrings(firsts, first, count);
      const secondEnd = afterStrings(seconds, second, count);
      piece.push({
        upload,
        keys: count,
        columns: [
          days.subarray(2 * from, 2 * (from + count)),
          firsts.subarray(first, firstEnd),
          seconds.subarray(second, secondEnd),
        ],
      });
      [first, second] = [firstEnd, secondEnd];
      from += count;
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
  const types = ['Date', 'String', 'String'];
  return blockOf(
    [
      repeated('upload', 'UInt32', (_, index) => UINT32.write([index])),
      repeated('account', 'String', ({ upload }) => STRING.write([upload.account])),
      ...keyColumns(family).map(({ name }, column) => ({
        name,
        type: types[column]!,
        parts: asked.map(({ columns }) => columns[column]!),
      })),
      repeated('version', 'UInt128', ({ upload }) => UINT128.write([upload.version])),
    ],
    asked.reduce((sum, { keys }) => sum + keys, 0),
  );
}

/** Where the so many next values of a Native `String` column end that begin at `at`. */
function afterStrings(column: Uint8Array, at: number, count: number): number {
  for (let value = 0; value < count; value++) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = column[at++]!;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += length;
  }
  return at;
}
