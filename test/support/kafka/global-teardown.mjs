import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Stops the shared broker of the run, if there is one. */
export default async function tearDown() {
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
  // It may have ended by itself, and another process may have its number.
  if (isBroker(shared)) process.kill(shared.pid, 'SIGKILL');
  // The broker may create files until it is gone.
  for (let i = 0; i < 100 && isBroker(shared); i++) await sleep(20);
  rmSync(shared.dir, { recursive: true, force: true });
  rmSync(run, { recursive: true, force: true });
}

function isBroker({ pid, dir }) {
  try {
    // Where there is no /proc, the number has to do.
    if (!existsSync('/proc/self')) return process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dir);
  } catch {
    return false;
  }
}
