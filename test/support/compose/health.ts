import { setTimeout as sleep } from 'node:timers/promises';

import { podman } from '../machine/container/podman.js';
import type { HealthCheck, Service } from './compose-file.js';
import { inspect, outputOf } from './container.js';

/** The test's machine may be slow, and starts all containers at once. */
const PATIENCE = { factor: 4, startMs: 60_000 };

/** The options of `podman run` for a health check, which podman never runs by itself. */
export function healthOptions(check: HealthCheck | undefined): readonly string[] {
  if (check === undefined) return ['--no-healthcheck'];
  return [
    ...['--health-cmd', JSON.stringify(check.command)],
    ...['--health-interval=disable', `--health-timeout=${PATIENCE.factor * check.timeoutMs}ms`],
  ];
}

/**
 * Runs the service's health check at its interval until it succeeds.
 *
 * @throws Error once it has failed as often as its retries allow
 */
export async function untilHealthy({ name, check }: Service, container: string): Promise<void> {
  if (check === undefined) throw new Error(`${name} has no health check to wait for`);
  const from = Date.now();
  for (let failures = 0; ;) {
    const said = await failureOf(container);
    if (said === undefined) return;
    if (Date.now() - from > Math.max(check.startMs, PATIENCE.startMs)) failures++;
    if (failures >= check.retries) {
      const checks = await inspect(container, '{{json .State.Health.Log}}');
      const output = outputOf(container).slice(-4_000);
      throw new Error(`${name} is not healthy: ${said}\n${checks}\n${output}`);
    }
    await sleep(check.intervalMs);
  }
}

/** Runs the health check once. Returns undefined if it succeeds. */
function failureOf(container: string): Promise<string | undefined> {
  return podman(['healthcheck', 'run', container]).then(
    () => undefined,
    (error: unknown) => String(error),
  );
}
