import { TOPICS, type Topic, type UploadLog } from '../../log/upload-log.js';

/** Brokers look for segments to delete every five minutes by default, and clocks differ. */
const MARGIN_MS = 3_600_000;
/** From this time on a topic counts as kept for ever. */
const CENTURY_MS = 100 * 365 * 24 * 3_600_000;

/** How long the log keeps an account's records after the account was erased. */
export interface KeptInLog {
  /** The topics that keep it for ever. */
  readonly forEver: readonly Topic[];
  /** How long the other topics keep it at most, in milliseconds. */
  readonly ms: number;
}

/**
 * Of every topic, because each names accounts: `control` has operators' actions on them, `claims`
 * the hashes of their idempotency keys.
 *
 * @throws LogUnavailableError
 */
export async function keptInLog(log: UploadLog): Promise<KeptInLog> {
  const forEver: Topic[] = [];
  let ms = 0;
  for (const topic of TOPICS) {
    const retentionMs = await log.maxRetentionMs(topic);
    if (retentionMs < CENTURY_MS) ms = Math.max(ms, retentionMs + MARGIN_MS);
    else forEver.push(topic);
  }
  return { forEver, ms };
}
