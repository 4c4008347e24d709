import { type FamilyName, familyNamed } from '../../domain/families/index.js';
import { limitsOf, limitsText } from '../api/part-limits.js';

/** A file that cannot be read, or is larger than a request may be. */
export class ContentError extends Error {
  constructor(
    message: string,
    /** Whether its size is the reason: the command line tool divides such files. */
    readonly isTooLarge: boolean,
  ) {
    super(message);
  }
}

export interface Content {
  /** Unpacked. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /**
   * What is sent: the bytes that were read, or the same compressed. Not the file, which may change
   * on the disk after it was checked.
   */
  readonly sent: Blob;
  readonly isPackedHere: boolean;
}

/** What is more than a request holds. */
export function tooLarge(family: FamilyName): ContentError {
  return new ContentError(`A request holds ${limitsText(limitsOf(familyNamed(family)))}.`, true);
}

/**
 * Reads a file, unpacking gzip, and makes it fit for a request.
 *
 * @throws ContentError
 */
export async function contentOf(file: File, family: FamilyName): Promise<Content> {
  const limits = limitsOf(familyNamed(family));
  if (file.size > limits.bytes) throw tooLarge(family);
  const read = new Uint8Array(await file.arrayBuffer());
  const sent = new Blob([read]);
  if (read[0] === 0x1f && read[1] === 0x8b) {
    const bytes = sent.size > limits.sentBytes ? undefined : await unpacked(sent, limits.bytes);
    if (bytes === undefined) throw tooLarge(family);
    return { bytes, sent, isPackedHere: false };
  }
  if (sent.size <= limits.sentBytes) return { bytes: read, sent, isPackedHere: false };
  const packed = sent.stream().pipeThrough(new CompressionStream('gzip'));
  const compressed = await new Response(packed).blob();
  if (compressed.size > limits.sentBytes) throw tooLarge(family);
  return { bytes: read, sent: compressed, isPackedHere: true };
}

/** @returns undefined when it is more than `maxBytes` */
async function unpacked(
  packed: Blob,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = packed.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.length;
      // Whatever it unpacks to, no more than this is ever held.
      if (bytes > maxBytes) return undefined;
      pieces.push(value);
    }
  } catch {
    throw new ContentError('The gzip of this file cannot be unpacked here.', false);
  } finally {
    reader.cancel().catch(() => undefined);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}
