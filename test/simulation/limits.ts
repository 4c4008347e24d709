import type { Config } from '../../src/config/config.js';
import type { Settings } from './settings.js';

export const LOG_TIMEOUT_MS = 5_000;
export const UPLOAD_DEADLINE_MS = 30_000;
export const INTEGRATED_CHANNELS = ['taken'];

export function folderOf(slot: string): string {
  return `/simulated/${slot}`;
}

/** The configuration of a process, with only the fields that simulated code reads. */
export function configOf(slot: string, settings: Settings): Config {
  const { openUploadBytes, waitingUploadBytes } = settings;
  return {
    dataDir: folderOf(slot),
    clickhouseDatabase: 'custom_data',
    integratedChannels: INTEGRATED_CHANNELS,
    limits: {
      uploadDeadlineMs: UPLOAD_DEADLINE_MS,
      logTimeoutMs: LOG_TIMEOUT_MS,
      logRetentionMs: settings.retentionMs,
      openUploadBytes,
      waitingUploadBytes,
      batchRows: 1_000,
      batchBytes: 1_000_000,
      batchMs: 1_000,
      validationThreads: 2,
      unpackedBytes: 32 * 1024 * 1024,
      shutdownMs: 10_000,
    },
  } as unknown as Config;
}
