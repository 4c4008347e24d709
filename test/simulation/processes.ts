import type { Logger } from '../../src/ops/logger.js';
import { MemoryFiles } from '../support/disk/memory-files.js';
import { configOf, folderOf } from './limits.js';
import { SimulatedLog } from './log/simulated-log.js';
import { SimulatedPreparer } from './preparer.js';
import { type Gateway, startGateway } from './roles/gateway.js';
import { type Role, type RoleDependencies, startIngest, startStatus } from './roles/role.js';
import { type Actor, actorNamed } from './time.js';
import { SimulatedRowStore } from './row-store.js';
import type { Warehouse } from '../../src/warehouse/warehouse.js';
import type { World } from './world.js';

export type RoleName = 'gateway' | 'ingest' | 'status';

const START_MS = 300;
const LONGEST_REST_MS = 8_000;
/** A supervisor kills a process that has not stopped after this time. */
const STOP_MS = 12_000;
const STOP_DEADLINE_MS = 10_000;

/** The audit of who did what is not simulated. */
const AUDIT = { insert: () => Promise.resolve() } as unknown as Warehouse;

/** A place for a process that starts again whenever it ends. */
export class Slot {
  readonly name: string;
  actor: Actor | undefined;
  /** Undefined until the process has started. */
  running: Role | undefined;
  /** Files that outlive the processes. */
  readonly files = new MemoryFiles();
  private starts = 0;
  private isStopping = false;
  private log: SimulatedLog | undefined;

  constructor(
    private readonly world: World,
    readonly role: RoleName,
    number: number,
  ) {
    this.name = `${role}${number}`;
  }

  /** Whether the process has started and is not stopping. */
  get isUp(): boolean {
    return this.running !== undefined && !this.isStopping;
  }

  get gateway(): Gateway | undefined {
    return this.role === 'gateway' && this.isUp ? (this.running as Gateway) : undefined;
  }

  get journal(): string {
    return this.files.lines(`${folderOf(this.name)}/ingest-journal`).read();
  }

  start(): void {
    const { time, random, settings } = this.world;
    const skewMs = random.between(-settings.skewMs, settings.skewMs);
    const actor = actorNamed(`${this.name}#${++this.starts}`, skewMs);
    this.actor = actor;
    this.isStopping = false;
    time.after(actor, START_MS, () => {
      this.run(actor).then(
        (role) => {
          this.running = role;
          this.world.trace(actor, 'started');
          role.failed.catch((error: unknown) => {
            if (this.isStopping || this.actor !== actor) return;
            this.world.trace(actor, `failed: ${String(error)}`);
            this.world.failures.push(`${actor.name}: ${String(error)}`);
            this.stop();
          });
        },
        (error: unknown) => {
          this.end(`did not start: ${String(error)}`);
        },
      );
    });
  }

  /** Stops the process as a signal does: cleanly, unless that takes too long. */
  stop(): void {
    const { actor, running } = this;
    if (actor?.isAlive !== true || running === undefined || this.isStopping) return;
    this.isStopping = true;
    const { time } = this.world;
    this.world.fault('process told to stop');
    this.world.trace(actor, 'stops');
    time.after(this.world.actor, STOP_MS, () => {
      if (this.actor === actor) this.end('did not stop');
    });
    time.after(actor, 0, () => {
      running
        .stop(STOP_DEADLINE_MS)
        .then(() => this.log!.close())
        .then(
          () => {
            this.end('stopped');
          },
          (error: unknown) => {
            this.end(`stopped badly: ${String(error)}`);
          },
        );
    });
  }

  /** Ends the process at once. It starts again after a while. */
  end(why: string): void {
    const { actor } = this;
    if (actor?.isAlive !== true) return;
    const { time, random } = this.world;
    this.world.trace(actor, `ends: ${why}`);
    actor.isAlive = false;
    this.running = undefined;
    time.after(this.world.actor, random.between(0, LONGEST_REST_MS), () => {
      this.start();
    });
  }

  private run(actor: Actor): Promise<Role> {
    const { broker, warehouse, settings } = this.world;
    const config = configOf(this.name, settings);
    this.log = new SimulatedLog(broker, actor, config.limits.logTimeoutMs);
    const store = new SimulatedRowStore(warehouse, actor);
    const dependencies: RoleDependencies = {
      config,
      log: this.log,
      rows: store,
      requests: store,
      warehouse: AUDIT,
      logger: this.logger(actor),
    };
    if (this.role === 'gateway') return startGateway(dependencies, settings.viewBytes);
    if (this.role === 'status') return startStatus(dependencies);
    const preparer = new SimulatedPreparer(this.world.network, actor);
    return startIngest(dependencies, { preparer, files: this.files });
  }

  /** Writes warnings and errors to the trace. */
  private logger(actor: Actor): Logger {
    const tell = (facts: unknown, text: string): void => {
      this.world.trace(actor, `says: ${text} ${JSON.stringify(facts)}`);
    };
    const silent = (): void => undefined;
    return { error: tell, warn: tell, info: silent, debug: silent } as unknown as Logger;
  }
}
