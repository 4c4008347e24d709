/** Of Node's module `node:buffer`, what is used here. */
interface NodeBuffers {
  readonly isUtf8: (bytes: Uint8Array) => boolean;
  readonly Buffer: {
    from(bytes: ArrayBufferLike, from: number, length: number): { includes(byte: number): boolean };
  };
}

interface MaybeNode {
  readonly process?: { getBuiltinModule?(id: 'node:buffer'): NodeBuffers };
}

/**
 * Node's checks are many times as fast as the language's own, which serve where there is no Node: a
 * browser judges files by these same rules.
 */
const node = (globalThis as MaybeNode).process?.getBuiltinModule?.('node:buffer');

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

export function isUtf8Anywhere(bytes: Uint8Array): boolean {
  try {
    strictUtf8.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const isUtf8 = node?.isUtf8 ?? isUtf8Anywhere;

function hasNul(bytes: Uint8Array): boolean {
  if (node === undefined) return bytes.includes(0);
  return node.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(0);
}

/** Where the text begins: behind a byte order mark, if there is one. */
export function startOfText(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** Whether the bytes are valid UTF-8 without NUL: one fast look at the whole file. */
export function isWellFormedText(bytes: Uint8Array): boolean {
  return !hasNul(bytes) && isUtf8(bytes);
}

/** What is wrong with a field of a file that is not well-formed text; undefined: nothing in this one. */
export function faultOfText(field: Uint8Array): string | undefined {
  if (hasNul(field)) return 'contains a NUL character';
  return isUtf8(field) ? undefined : 'is not valid UTF-8';
}
