import { expect, test } from '@jest/globals';

import { ConfigError } from '../../../src/config/config.js';
import type { Topic } from '../../../src/log/upload-log.js';
import { ensureHistoryOutlives } from '../../../src/service/history-outlives-log.js';

const DAY = 86_400_000;

/** Ensures it for a log that keeps one topic for so many days, and the others for one. */
function ensured(topic: Topic, days: number): Promise<void> {
  const maxRetentionMs = (each: Topic): Promise<number> =>
    Promise.resolve((each === topic ? days : 1) * DAY);
  return ensureHistoryOutlives({ maxRetentionMs }, 40 * DAY);
}

test.each([
  ['uploads', 19.5],
  ['status', 19.5],
  ['claims', Infinity],
  ['control', Infinity],
] as const)('the log may keep %s for %d days beside a history of 40', async (topic, days) => {
  await expect(ensured(topic, days)).resolves.toBeUndefined();
});

test.each([
  ['uploads', 20],
  ['status', 20],
  ['uploads', Infinity],
] as const)('the log may not keep %s for %d days', async (topic, days) => {
  const refused = ensured(topic, days);
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(
    new RegExp(`^HISTORY_RETENTION_DAYS .* of the topic ${topic}:`),
  );
});
