import type { Punctuality, RequestTotals } from '../../src/status/request-store.js';
import type { Family } from '../../src/domain/families/index.js';
import { isFinal, rankOf, type Transition } from '../../src/status/transition.js';
import type { PreparedUpload } from '../../src/csv/verdict.js';
import type { Erasure, ReadBack, UploadToStore } from '../../src/warehouse/row-store.js';
import { type FailureClass, WarehouseError } from '../../src/warehouse/warehouse.js';
import { type DecodedKey, decodePrepared } from '../support/model/decode-prepared.js';
import { type Network, Server, type ServerOptions } from './network.js';

/** A stored row: one overwrite key of one upload. */
export interface StoredKey extends DecodedKey {
  readonly account: string;
  readonly version: bigint;
  /** Until then, a replica that lags behind does not show the row. */
  readonly visibleAt: number;
}

export interface WarehouseFaults {
  /** The probability that a batch runs out of memory. */
  readonly memory: number;
  /** How far readers may lag behind, in milliseconds. */
  readonly lagMs: number;
  /** The probability that a batch causes a merge of the stored rows. */
  readonly merged: number;
}

/** The warehouse rejects every batch that has this value in a key. */
export const POISON = 'poison';

/** What the warehouse keeps: the storage tables, the history of requests, and the erasures. */
export class WarehouseServer extends Server {
  /** Stored rows, by table and overwrite key. */
  private readonly tables = {
    cost: new Map<string, StoredKey[]>(),
    self_serve: new Map<string, StoredKey[]>(),
  };
  private readonly transitions = new Map<string, Transition>();
  private readonly erased = new Map<string, bigint>();

  constructor(
    network: Network,
    options: ServerOptions,
    public content: WarehouseFaults,
  ) {
    super(network, 'warehouse', options);
  }

  /** @throws WarehouseError */
  store(family: Family, uploads: readonly UploadToStore[], decoded: readonly DecodedKey[][]): void {
    const { random, time, fault } = this.network;
    if (decoded.some((keys) => keys.some(({ key }) => key.includes(POISON)))) {
      fault('batch rejected');
      throw failed('rejected', 117);
    }
    if (random.chance(this.content.memory)) {
      fault('batch out of memory');
      throw failed('memory', 241);
    }
    const table = this.tables[family.table];
    const visibleAt = time.now() + random.between(0, this.content.lagMs);
    for (const [i, { account, version }] of uploads.entries()) {
      for (const row of decoded[i]!) {
        const name = keyText(account, row);
        const stored = { ...row, account, version, visibleAt };
        const same = table.get(name);
        if (same === undefined) table.set(name, [stored]);
        else same.push(stored);
      }
    }
    if (random.chance(this.content.merged)) this.merge();
  }

  /** What a reader finds of the uploads. Their keys are `decoded`. */
  find(
    family: Family,
    uploads: readonly UploadToStore[],
    decoded: readonly DecodedKey[][],
  ): ReadBack {
    const now = this.network.time.now();
    const table = this.tables[family.table];
    const rows = new Map<bigint, number>();
    for (const [i, upload] of uploads.entries()) {
      const isThere = decoded[i]!.every((row) =>
        (table.get(keyText(upload.account, row)) ?? []).some(
          ({ version, visibleAt }) => version >= upload.version && visibleAt <= now,
        ),
      );
      if (isThere) rows.set(upload.version, upload.prepared.rows);
    }
    return rows;
  }

  /** What reports show: the rows of each key at its highest version. */
  current(family: Family, account: string): StoredKey[] {
    return [...this.tables[family.table].values()]
      .map((keys) => keys.reduce((a, b) => (b.version > a.version ? b : a)))
      .filter((key) => key.account === account);
  }

  /** The transition of each request with the highest rank, the earliest one of that rank. */
  get requests(): ReadonlyMap<string, Transition> {
    return this.transitions;
  }

  write(transitions: readonly Transition[]): void {
    for (const each of transitions) {
      const known = this.transitions.get(each.requestId);
      if (known === undefined || isBefore(known, each)) this.transitions.set(each.requestId, each);
    }
  }

  totals(from = 0): RequestTotals[] {
    const totals = new Map<string, RequestTotals>();
    for (const { family, status, rows, createdAt } of this.transitions.values()) {
      if (secondsOf(createdAt) < from) continue;
      const key = `${family} ${status}`;
      const before = totals.get(key);
      totals.set(key, {
        family,
        status,
        requests: (before?.requests ?? 0) + 1,
        validated: (before?.validated ?? 0) + (rows?.validated ?? 0),
        stored: (before?.stored ?? 0) + (rows?.stored ?? 0),
        readBack: (before?.readBack ?? 0) + (rows?.readBack ?? 0),
        oldest: Math.min(before?.oldest ?? Infinity, secondsOf(createdAt)),
      });
    }
    return [...totals.values()];
  }

  punctuality(limits: readonly number[], windows: readonly number[], now: number): Punctuality[] {
    const countOf = (limit: number, window: number): Punctuality => {
      const within = [...this.transitions.values()]
        .map(({ status, createdAt, updatedAt }) => {
          const created = secondsOf(createdAt);
          const took = isFinal(status) ? secondsOf(updatedAt) - created : Infinity;
          return { took, at: created + Math.min(took, limit) };
        })
        .filter(({ at }) => at > now - window && at <= now);
      const late = within.filter(({ took }) => took >= limit).length;
      return { limit, window, uploads: within.length, late };
    };
    return limits.flatMap((limit) => windows.map((window) => countOf(limit, window)));
  }

  erase({ account, version }: Erasure): void {
    if (version > (this.erased.get(account) ?? 0n)) this.erased.set(account, version);
  }

  get erasures(): ReadonlyMap<string, bigint> {
    return new Map(this.erased);
  }

  /** Drops duplicates, and rows that a later version of their key has replaced. */
  private merge(): void {
    for (const table of Object.values(this.tables)) {
      for (const [name, keys] of table) {
        if (keys.length === 1) continue;
        table.set(name, [keys.reduce((a, b) => (b.version > a.version ? b : a))]);
      }
    }
  }
}

export function failed(failure: FailureClass, code?: number): WarehouseError {
  return new WarehouseError(`simulated: ${failure}`, failure, code);
}

/** By upload: a batch is read back as it was written, and its columns have their own memory. */
const decodedKeys = new WeakMap<PreparedUpload, DecodedKey[]>();

/** The decoded keys of an upload. */
export function keysOf(family: Family, { prepared }: UploadToStore): DecodedKey[] {
  let keys = decodedKeys.get(prepared);
  if (keys === undefined) decodedKeys.set(prepared, (keys = decodePrepared(family, prepared)));
  return keys;
}

function keyText(account: string, { key }: DecodedKey): string {
  return JSON.stringify([account, ...key]);
}

function isBefore(known: Transition, each: Transition): boolean {
  const [a, b] = [rankOf(known.status), rankOf(each.status)];
  return b > a || (b === a && each.updatedAt < known.updatedAt);
}

function secondsOf(timestamp: string): number {
  return Date.parse(`${timestamp}Z`) / 1000;
}
