import type { ColumnSpace } from '../columns/column-space.js';
import type { Kernel } from '../kernel/kernel.js';

/** Numbers of four bytes that lie in the kernel's memory, written to the space. */
export function wordsOf(
  kernel: Kernel,
  address: number,
  count: number,
  space: ColumnSpace,
): Uint32Array {
  const { buffer, byteOffset } = kernel.view(address, 4 * count);
  const words = space.words(count);
  words.set(new Uint32Array(buffer, byteOffset, count));
  return words;
}
