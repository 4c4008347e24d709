import { setTimeout as sleep } from 'node:timers/promises';

/** How long no merge may run until none is expected any more, and how long merges may take. */
const QUIET_MS = 3_000;
const MERGES_MS = 180_000;

/** Resolves when no merge has run for a while. @throws Error when merges do not end */
export async function mergesEnded(warehouse: {
  query<Row>(sql: string): Promise<Row[]>;
}): Promise<void> {
  const deadline = performance.now() + MERGES_MS;
  for (let quietSince = performance.now(); performance.now() - quietSince < QUIET_MS;) {
    if (performance.now() > deadline) throw new Error('merges do not end');
    await sleep(QUIET_MS / 6);
    const [merges] = await warehouse.query<{ running: number }>(
      'SELECT toUInt32(count()) AS running FROM system.merges',
    );
    if (merges!.running > 0) quietSince = performance.now();
  }
}
