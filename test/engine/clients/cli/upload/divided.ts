import { Readable } from 'node:stream';

import { type FamilyName, familyNamed } from '../../../../../src/domain/families/index.js';
import { divide, type DividedContent } from '../../../../../src/clients/cli/upload/divide.js';
import type { PackedPart } from '../../../../../src/clients/cli/upload/packer.js';

export interface Divided extends DividedContent {
  readonly parts: PackedPart[];
  /** In the order in which they were found. */
  readonly problems: string[];
}

/**
 * Divides a file that arrives in pieces of `pieceBytes` bytes.
 *
 * @param size the size that the source reports; it determines the number of partitions
 * @param onPart is called with each part
 */
export async function divided(
  family: FamilyName,
  file: string | Uint8Array,
  {
    pieceBytes = 64 * 1024,
    size = file.length,
    onPart = () => undefined,
  }: { pieceBytes?: number; size?: number; onPart?: () => void } = {},
): Promise<Divided> {
  const bytes = Buffer.from(file as Uint8Array);
  const parts: PackedPart[] = [];
  const problems: string[] = [];
  const source = {
    name: 'file',
    size,
    pieces: () =>
      Readable.from(
        (function* () {
          for (let at = 0; at < bytes.length; at += pieceBytes) {
            yield bytes.subarray(at, at + pieceBytes);
          }
        })(),
      ),
    digest: () => '',
    close: () => Promise.resolve(),
  };
  const content = await divide(familyNamed(family), source, {
    part: (part) => {
      parts.push(part);
      onPart();
    },
    malformedRow: ({ number }, message) => problems.push(`row ${number}: ${message}`),
    problem: (column, message) => problems.push(`${column}: ${message}`),
  });
  return { ...content, parts, problems };
}
