import { setTimeout as sleep } from 'node:timers/promises';

export const DAY_MS = 86_400_000;
/** Longer than the tests take that compare views of the last days. */
const NEAR_MS = 30_000;

/** The day so many days before today, in UTC. */
export function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** Waits for midnight (UTC) if it is near: a view and what it is compared with need one today. */
export async function awayFromMidnight(): Promise<void> {
  const leftMs = DAY_MS - (Date.now() % DAY_MS);
  if (leftMs < NEAR_MS) await sleep(leftMs + 100);
}
