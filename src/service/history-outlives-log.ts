import { ConfigError } from '../config/config.js';
import type { UploadLog } from '../log/upload-log.js';

/** The topics that write the history again when they are read again. */
const WRITE_HISTORY = ['uploads', 'status'] as const;

/**
 * Makes sure that the log forgets a request long before the history does. On Kafka, topics may keep
 * their records for longer than LOG_RETENTION_HOURS.
 *
 * @throws ConfigError
 * @throws LogUnavailableError
 */
export async function ensureHistoryOutlives(
  log: Pick<UploadLog, 'maxRetentionMs'>,
  historyRetentionMs: number,
): Promise<void> {
  for (const topic of WRITE_HISTORY) {
    if (historyRetentionMs > 2 * (await log.maxRetentionMs(topic))) continue;
    throw new ConfigError(
      `HISTORY_RETENTION_DAYS is not more than twice retention.ms and segment.ms of the topic ${topic}: a replay could bring deleted requests back`,
    );
  }
}
