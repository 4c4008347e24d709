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
  /** What is sent: the file itself, or the file compressed. */
  readonly sent: Blob;
  readonly isPackedHere: boolean;
}

/**
 * Reads a file, unpacking gzip, and makes it fit for a request.
 *
 * @throws ContentError
 */
export async function contentOf(file: File, familyName: FamilyName): Promise<Content> {
  const limits = limitsOf(familyNamed(familyName));
  const tooLarge = new ContentError(`A request holds ${limitsText(limits)}.`, true);
  if (await isGzip(file)) {
    if (file.size > limits.sentBytes) throw tooLarge;
    const bytes = await unpacked(file, limits.bytes);
    if (bytes === undefined) throw tooLarge;
    return { bytes, sent: file, isPackedHere: false };
  }
  if (file.size > limits.bytes) throw tooLarge;
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (file.size <= limits.sentBytes) return { bytes, sent: file, isPackedHere: false };
  const packed = file.stream().pipeThrough(new CompressionStream('gzip'));
  const sent = await new Response(packed).blob();
  if (sent.size > limits.sentBytes) throw tooLarge;
  return { bytes, sent, isPackedHere: true };
}

async function isGzip(file: File): Promise<boolean> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  return first === 0x1f && second === 0x8b;
}

/** @returns undefined when it is more than `maxBytes` */
async function unpacked(
  file: File,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = file.stream().pipeThrough(new DecompressionStream('gzip')).getReader();
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
