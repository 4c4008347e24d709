import { rankOf, type Transition } from '../../src/status/transition.js';
import { ClientGoneError, Problem } from '../../src/gateway/http/problem.js';
import { type Content, contentOf } from './content.js';
import type { Slot } from './processes.js';
import { Body } from './roles/body.js';
import type { World } from './world.js';

const DAY_MS = 86_400_000;
const LONGEST_WAIT_MS = 60_000;
const LOOK_MS = 500;
const LONGEST_PIECE = 60_000;
const MOST_TRIES = 4;
/** A gateway drops a client that sends nothing for this long. */
const PATIENCE_MS = 15_000;

/** The answer to a client; `undefined`: there was none, or the outcome is unknown. */
type Answer = Transition | undefined;

/** An upload that was answered 201. */
export interface Accepted {
  readonly requestId: string;
  readonly version: bigint;
  readonly startedAt: number;
  readonly answeredAt: number;
  readonly key: string | undefined;
}

/** Sends one upload after the other and follows their states. */
export class Client {
  readonly accepted: Accepted[] = [];
  private readonly random;
  private readonly account: string;
  /** Rank of the last state seen, by gateway and request. */
  private readonly seen = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly number: number,
  ) {
    this.random = world.random.fork(`client ${number}`);
    this.account = `account${number % world.settings.accounts}`;
  }

  async run(): Promise<void> {
    const { uploads, clients, pauseMs, keyed, mix } = this.world.settings;
    for (let i = 0; i < Math.ceil(uploads / clients); i++) {
      await this.pause(this.random.between(0, pauseMs));
      const today = Math.floor(this.world.time.now() / DAY_MS);
      const content = contentOf(this.random, today, mix);
      const key = this.random.chance(keyed) ? `key ${this.number}.${i}` : undefined;
      await this.upload(content, key);
    }
  }

  private async upload(content: Content, key: string | undefined): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const slot = await this.gateway();
      const startedAt = this.world.time.now();
      const answer = await this.send(slot, content, key);
      if (answer !== undefined) {
        const { requestId, version } = answer;
        const answeredAt = this.world.time.now();
        this.accepted.push({ requestId, version: BigInt(version), startedAt, answeredAt, key });
        this.world.trace(this.world.actor, `client ${this.number} has 201 for ${requestId}`);
        this.saw(slot, answer);
        await this.look(requestId);
        return;
      }
      // Without a key, a repeated upload may become a second request.
      if (this.random.chance(0.3)) return;
      await this.pause(this.random.between(0, 3_000));
    }
  }

  /** Reads the status a few times, each time through any gateway. */
  private async look(requestId: string): Promise<void> {
    for (let looks = this.random.int(4); looks > 0; looks--) {
      const slot = await this.gateway();
      const found = await this.ask(slot, () => slot.gateway!.lookup.find(requestId));
      if (found === 'unknown') this.world.violated(`${slot.name} does not know ${requestId}`);
      else if (found !== undefined && found !== 'unavailable') this.saw(slot, found);
      await this.pause(this.random.between(0, 1_500));
    }
  }

  private saw(slot: Slot, { requestId, status }: Transition): void {
    const key = `${slot.name} ${requestId}`;
    const rank = rankOf(status);
    this.world.trace(this.world.actor, `client ${this.number} sees ${requestId} ${status}`);
    if (rank < (this.seen.get(key) ?? 0)) {
      this.world.violated(`${requestId} went back to ${status} at ${slot.name}`);
    }
    this.seen.set(key, rank);
  }

  private send(slot: Slot, content: Content, key: string | undefined): Promise<Answer> {
    const { world, account } = this;
    const { time } = world;
    const body = new Body();
    const { family, finding } = content;
    const digest = `${content.bytes.length}`;
    const startedAt = time.now();
    const answer = this.ask(slot, () =>
      slot.gateway!.create({
        account,
        family: family.name,
        body,
        finding,
        keyed: key === undefined ? undefined : { key, digest },
        begun: (requestId) => {
          world.begun(requestId, { account, content, key, startedAt });
        },
      }),
    );
    this.sendBody(slot, body, content.bytes);
    return answer;
  }

  private sendBody(slot: Slot, body: Body, bytes: Buffer): void {
    const { random } = this;
    const { time, settings } = this.world;
    const actor = slot.actor!;
    let at = random.between(0, 5);
    // In the middle of a large file, some chunks are already in the log.
    const stops = settings.stops * (bytes.length > LONGEST_PIECE ? 4 : 1);
    const stopsAt = random.chance(stops) ? random.int(bytes.length + 1) : Infinity;
    for (let from = 0; from < bytes.length;) {
      if (from >= stopsAt) {
        this.world.fault('client gone amid a file');
        const isGateway = random.chance(0.5);
        time.after(actor, at + random.between(0, PATIENCE_MS), () => {
          if (isGateway) this.world.network.kill(actor, 'in the middle of a file');
          else body.fail();
        });
        return;
      }
      const piece = bytes.subarray(from, (from += 1 + random.int(LONGEST_PIECE)));
      time.after(actor, at, () => {
        body.push(piece);
      });
      at += random.chance(0.05) ? random.between(0, 2_000) : random.between(0, 5);
    }
    time.after(actor, at, () => {
      body.end();
    });
  }

  /** Undefined when there is no answer, or only an error. */
  private ask<T>(slot: Slot, act: () => Promise<T>): Promise<T | undefined> {
    const { time, actor: world } = this.world;
    const { actor } = slot;
    return new Promise((resolve) => {
      let isOver = false;
      const settle = (answer: T | undefined): void => {
        isOver = true;
        resolve(answer);
      };
      const reply = (answer: () => void): void => {
        time.after(world, this.random.between(0, 5), answer);
      };
      time.after(actor!, this.random.between(0, 5), () => {
        if (slot.gateway === undefined) {
          reply(() => {
            settle(undefined);
          });
          return;
        }
        act().then(
          (answer) => {
            reply(() => {
              settle(answer);
            });
          },
          (error: unknown) => {
            this.refused(error);
            reply(() => {
              settle(undefined);
            });
          },
        );
      });
      const until = time.now() + LONGEST_WAIT_MS;
      const watch = (): void => {
        if (isOver) return;
        if (actor!.isAlive && time.now() < until) time.after(world, LOOK_MS, watch);
        else settle(undefined);
      };
      watch();
    });
  }

  private refused(error: unknown): void {
    this.world.trace(this.world.actor, `client ${this.number} is refused: ${String(error)}`);
    if (error instanceof ClientGoneError) return;
    if (error instanceof Problem) {
      if (error.status !== 409 && error.status !== 503) this.world.violated(String(error));
      return;
    }
    if ((error as Error).name !== 'LogUnavailableError') this.world.violated(String(error));
  }

  /** Waits for a gateway that accepts requests. */
  private async gateway(): Promise<Slot> {
    for (;;) {
      const ready = this.world.slots.filter(({ gateway }) => gateway !== undefined);
      if (ready.length > 0) return this.random.pick(ready);
      await this.pause(200);
    }
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.world.time.after(this.world.actor, milliseconds, resolve);
    });
  }
}
