import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Ends the broker that the run has shared, if it needed one. */
export default function tearDown() {
  const run = fileURLToPath(
    new URL(`../../../.cache/kafka/run-${process.env.KAFKA_TEST_RUN}`, import.meta.url),
  );
  let shared;
  try {
    shared = JSON.parse(readFileSync(`${run}/broker.json`, 'utf8'));
  } catch {
    rmSync(run, { recursive: true, force: true });
    return;
  }
  process.kill(shared.pid, 'SIGKILL');
  rmSync(shared.dir, { recursive: true, force: true });
  rmSync(run, { recursive: true, force: true });
}
