import type { ContentMix } from './content.js';
import { type Faults, NO_FAULTS } from './network.js';
import type { Random } from './random.js';
import type { WarehouseFaults } from './warehouse.js';

/** The size of a seed's run, and its faults. */
export interface Settings {
  readonly uploads: number;
  readonly clients: number;
  readonly accounts: number;
  readonly gateways: number;
  readonly ingests: number;
  readonly statuses: number;
  readonly partitions: number;
  readonly log: Faults;
  readonly warehouse: Faults;
  readonly content: WarehouseFaults;
  readonly mix: ContentMix;
  /** How far a process's wall clock may be off, in either direction. */
  readonly skewMs: number;
  /** The longest pause of a client between two uploads. */
  readonly pauseMs: number;
  /** The probability that a client stops within a file, and that it sends an idempotency key. */
  readonly stops: number;
  readonly keyed: number;
  /** How many of each happen while clients upload. */
  readonly kills: number;
  readonly restarts: number;
  readonly freezes: number;
  readonly logOutages: number;
  readonly warehouseOutages: number;
  /** Retention of the log: more than twice as long as anything may take. */
  readonly retentionMs: number;
  /** Memory for uploads whose end has not been read. */
  readonly openUploadBytes: number;
  /** Memory for the requests that a gateway remembers. */
  readonly viewBytes: number;
  readonly waitingUploadBytes: number;
}

/** Highest refusal rate of both servers together. */
const MOST_REFUSED = 0.7;

export const NOTHING_WRONG: WarehouseFaults = { memory: 0, lagMs: 0, merged: 0.5 };

/** Most seeds have only some kinds of faults, so that one kind does not hide another's effects. */
export function settingsOf(random: Random): Settings {
  const some = (most: number): number => (random.chance(0.5) ? random.between(0, most) : 0);
  const few = (most: number): number => (random.chance(0.5) ? random.int(most + 1) : 0);
  // Some servers refuse up to 60 % of the requests.
  const rate = (): number => some(random.chance(0.25) ? 0.6 : 0.03);
  const faults = (): Faults =>
    random.chance(0.3)
      ? NO_FAULTS
      : {
          refused: rate(),
          lost: some(0.03),
          repeated: some(0.03),
          late: some(0.02),
          deadly: some(0.004),
        };
  const settings = {
    uploads: 80 + random.int(40),
    clients: 3 + random.int(8),
    accounts: 1 + random.int(4),
    gateways: 1 + random.int(2),
    ingests: 1 + random.int(3),
    statuses: 1 + random.int(2),
    partitions: 1 + random.int(4),
    log: faults(),
    warehouse: faults(),
    content: { memory: some(0.1), lagMs: some(3_000), merged: random.next() },
    mix: {
      broken: some(0.3),
      large: some(0.15),
      fates: { throws: some(0.02), stumbles: some(0.05), kills: some(0.01), poison: some(0.03) },
    },
    skewMs: some(5_000),
    pauseMs: random.pick([50, 500, 5_000]),
    stops: some(0.1),
    keyed: some(0.4),
    kills: few(8),
    restarts: few(8),
    freezes: few(4),
    logOutages: few(2),
    warehouseOutages: few(4),
    retentionMs: random.pick([4, 15]) * 60_000,
    viewBytes: random.chance(0.3) ? 30_000 : 64 * 1024 * 1024,
    openUploadBytes: random.chance(0.3) ? 100_000 : 64 * 1024 * 1024,
    waitingUploadBytes: random.chance(0.3) ? 5_000 : 64 * 1024 * 1024,
  };
  // A start asks both servers several times, and every request must be answered.
  const { log, warehouse } = settings;
  const refused = log.refused + warehouse.refused;
  const share = Math.min(1, MOST_REFUSED / refused);
  // About ten uploads may kill every ingest three times each. Each time a session must expire.
  const isSlow = settings.mix.fates.kills > 0 || refused > 0.1;
  // Into a small room uploads come one by one, and those that wait behind may be killed as often.
  const isSlowest = settings.mix.fates.kills > 0 && settings.waitingUploadBytes < 64 * 1024;
  return {
    ...settings,
    log: { ...log, refused: log.refused * share },
    warehouse: { ...warehouse, refused: warehouse.refused * share },
    retentionMs: settings.retentionMs * (isSlowest ? 8 : isSlow ? 4 : 1),
  };
}
