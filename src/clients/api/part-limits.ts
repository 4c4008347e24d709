import type { Family } from '../../domain/families/index.js';
import { MAX_FILE_BYTES, MAX_UNPACKED_COST_BYTES } from '../../domain/upload-limits.js';

/** The limits of one request. */
export interface PartLimits {
  readonly rows: number;
  /** As it is sent. */
  readonly sentBytes: number;
  /** Unpacked, the header included. */
  readonly bytes: number;
  /** The most bytes of a part with several keys; a part of one key may have `bytes`. */
  readonly fullBytes: number;
  readonly isCompressed: boolean;
}

const MIB = 1_048_576;

const COST: Omit<PartLimits, 'rows'> = {
  sentBytes: MAX_FILE_BYTES,
  bytes: MAX_UNPACKED_COST_BYTES,
  fullBytes: MAX_UNPACKED_COST_BYTES,
  isCompressed: false,
};

const SELF_SERVE: Omit<PartLimits, 'rows'> = {
  sentBytes: MAX_FILE_BYTES,
  // The service's default limit.
  bytes: 32 * MIB,
  // This nearly always shrinks to less than 1 MiB; what does not is divided once more.
  fullBytes: 4 * MIB,
  isCompressed: true,
};

export function limitsOf(family: Family): PartLimits {
  return {
    rows: family.maxRows ?? Infinity,
    ...(family.name === 'cost' ? COST : SELF_SERVE),
  };
}

/** The limits as a message gives them. */
export function limitsText({ rows, bytes, sentBytes, isCompressed }: PartLimits): string {
  const size = isCompressed
    ? `${sentBytes} bytes as gzip, ${bytes} unpacked`
    : `${sentBytes} bytes`;
  return rows === Infinity ? `at most ${size}` : `at most ${rows} rows and ${size}`;
}
