import type { Server } from './network.js';
import type { RoleName } from './processes.js';
import type { World } from './world.js';

/** A fault that begins once this many uploads have begun, or a little later. */
export interface Trouble {
  readonly at: number;
  readonly act: () => void;
}

const ROLES: readonly RoleName[] = ['gateway', 'ingest', 'status'];
const LONGEST_BEFORE_MS = 4_000;
const LONGEST_FREEZE_MS = 30_000;
const LONGEST_LOG_OUTAGE_MS = 20_000;
const LONGEST_WAREHOUSE_OUTAGE_MS = 90_000;

/** Plans which processes are killed, stopped or frozen, and which servers are away for a while. */
export function planOf(world: World): Trouble[] {
  const { settings, random, time } = world;
  const plan: Trouble[] = [];
  const add = (count: number, act: () => void): void => {
    for (let i = 0; i < count; i++) plan.push({ at: random.int(settings.uploads), act });
  };
  const restart = (roles = ROLES): void => {
    const role = random.pick(roles);
    random.pick(world.slots.filter((slot) => slot.role === role)).stop();
  };
  const away = (server: Server, longestMs: number, users: readonly RoleName[]) => () => {
    const milliseconds = random.between(500, longestMs);
    world.fault(`${server.actor.name} away`);
    world.trace(world.actor, `${server.actor.name} away ${milliseconds.toFixed()} ms`);
    server.awayUntil = time.now() + milliseconds;
    // A process that is told to stop shortly before the outage ends fails first and then succeeds.
    if (random.chance(0.3)) return;
    time.after(world.actor, milliseconds - random.between(0, LONGEST_BEFORE_MS), () => {
      restart(users);
    });
  };
  add(settings.kills, () => {
    const { actor } = random.pick(world.slots);
    if (actor !== undefined) world.network.kill(actor, 'by chance');
  });
  add(settings.restarts, () => {
    restart();
  });
  add(settings.freezes, () => {
    const { actor } = random.pick(world.slots);
    if (actor === undefined) return;
    const milliseconds = random.between(500, LONGEST_FREEZE_MS);
    world.fault('process frozen');
    world.trace(actor, `frozen ${milliseconds.toFixed()} ms`);
    actor.stoppedUntil = Math.max(actor.stoppedUntil, time.now() + milliseconds);
  });
  add(settings.logOutages, away(world.broker, LONGEST_LOG_OUTAGE_MS, ROLES));
  add(
    settings.warehouseOutages,
    away(world.warehouse, LONGEST_WAREHOUSE_OUTAGE_MS, ['ingest', 'status']),
  );
  return plan;
}
