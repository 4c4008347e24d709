import kafkajs from 'kafkajs';
import { compressFrame, decompressFrameSync } from 'lz4-napi';
import type { KAFKA_COMPRESSIONS } from '../../config/config.js';

const { CompressionCodecs, CompressionTypes } = kafkajs;

export type Compression = (typeof KAFKA_COMPRESSIONS)[number];

export const COMPRESSION_TYPES = {
  lz4: CompressionTypes.LZ4,
  gzip: CompressionTypes.GZIP,
  none: CompressionTypes.None,
} as const;

/**
 * Gives kafkajs the LZ4 that it leaves to its users, for the whole process. Also needed when this
 * process compresses with something else: it may read what another one wrote with LZ4.
 */
export function registerLz4(): void {
  CompressionCodecs[CompressionTypes.LZ4] = () => ({
    compress: ({ buffer }: { readonly buffer: Buffer }) => compressFrame(buffer),
    decompress: (buffer: Buffer) => Promise.resolve(decompressFrameSync(buffer)),
  });
}
