import type { Punctuality, RequestStore, RequestTotals } from '../../src/status/request-store.js';
import type { Family } from '../../src/domain/families/index.js';
import type { Transition } from '../../src/status/transition.js';
import type {
  Erasure,
  InsertSize,
  ReadBack,
  RowStore,
  UploadToStore,
} from '../../src/warehouse/row-store.js';
import { WarehouseError } from '../../src/warehouse/warehouse.js';
import { NoAnswerError } from './network.js';
import type { Actor } from './time.js';
import { failed, keysOf, type WarehouseServer } from './warehouse.js';

/** The warehouse as one process sees it. */
export class SimulatedRowStore implements RowStore, RequestStore {
  constructor(
    private readonly server: WarehouseServer,
    private readonly actor: Actor,
  ) {}

  writeBatch(family: Family, uploads: readonly UploadToStore[]): Promise<void> {
    // Decoded now: the columns' memory is reused, even when there is no answer.
    const decoded = uploads.map((upload) => keysOf(family, upload));
    return this.asked(`write ${uploads.length} ${family.name}`, () => {
      this.server.store(family, uploads, decoded);
    });
  }

  readBack(family: Family, uploads: readonly UploadToStore[]): Promise<ReadBack> {
    const decoded = uploads.map((upload) => keysOf(family, upload));
    return this.asked(`read back ${uploads.length} ${family.name}`, () =>
      this.server.find(family, uploads, decoded),
    );
  }

  async hasMemoryFor({ keys }: InsertSize): Promise<boolean> {
    try {
      return await this.asked(`probe ${keys} keys`, () => true);
    } catch (error) {
      if (error instanceof WarehouseError) return false;
      throw error;
    }
  }

  writeTransitions(transitions: readonly Transition[]): Promise<void> {
    return this.asked(`write ${transitions.length} transitions`, () => {
      this.server.write(transitions);
    });
  }

  statesOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, Transition>> {
    return this.asked(`states of ${requestIds.length}`, () => {
      const { requests } = this.server;
      const found = requestIds.flatMap((id) => requests.get(id) ?? []);
      return new Map(found.map((each) => [each.requestId, stateOf(each)]));
    });
  }

  totals(from: number): Promise<RequestTotals[]> {
    return this.asked('totals', () => this.server.totals(from));
  }

  punctuality(
    limits: readonly number[],
    windows: readonly number[],
    now: number,
  ): Promise<Punctuality[]> {
    return this.asked('punctuality', () => this.server.punctuality(limits, windows, now));
  }

  highestVersion(): Promise<bigint> {
    return this.asked('highest version', () =>
      [...this.server.requests.values()]
        .map(({ version }) => BigInt(version))
        .reduce((a, b) => (a > b ? a : b), 0n),
    );
  }

  writeErasure(erasure: Erasure): Promise<void> {
    return this.asked(`write an erasure`, () => {
      this.server.erase(erasure);
    });
  }

  erasures(): Promise<ReadonlyMap<string, bigint>> {
    return this.asked('erasures', () => this.server.erasures);
  }

  private async asked<T>(what: string, act: () => T): Promise<T> {
    try {
      return await this.server.ask(this.actor, what, act);
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error;
      throw failed('retry');
    }
  }
}

/** What can be queried of a transition: neither its rows and bytes nor who made the request. */
function stateOf(transition: Transition): Transition {
  const { requestId, account, family, status, prevStatus, reason, createdAt, updatedAt, version } =
    transition;
  const times = { createdAt, updatedAt };
  return {
    requestId,
    account,
    family,
    status,
    prevStatus,
    reason,
    ...times,
    version,
    sentMax: version,
  };
}
