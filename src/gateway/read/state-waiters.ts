import type { ServerResponse } from 'node:http';
import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { RequestLookup } from '../../status/request-lookup.js';
import { isFinal, type Transition } from '../../status/transition.js';
import { readsWaiting } from '../../ops/metrics.js';
import { REQUEST_LOOKUP } from '../dependencies.js';
import { ClientGoneError } from '../http/problem.js';

/** Each holds a connection open; those above this number are answered at once. */
const MAX_WAITERS = 10_000;

/**
 * Reads that wait for their request's next state: each is a watch on the status view and a timer.
 */
@Injectable()
export class StateWaiters implements OnModuleDestroy {
  private readonly cuts = new Set<() => void>();
  private isClosed = false;

  constructor(@Inject(REQUEST_LOOKUP) private readonly lookup: RequestLookup) {}

  /**
   * The request's next state, or `found` again when it stays the same for `waitMs`. Undefined when
   * it could not be waited for: too many wait, or the server is shutting down.
   *
   * @param response its end, while waiting, means that the client has gone
   * @throws ClientGoneError
   */
  next(
    found: Transition,
    waitMs: number,
    response: ServerResponse,
  ): Promise<Transition | undefined> {
    if (isFinal(found.status) || waitMs === 0) return Promise.resolve(found);
    if (this.isClosed || this.cuts.size >= MAX_WAITERS) return Promise.resolve(undefined);
    if (response.closed) return Promise.reject(new ClientGoneError());
    return new Promise((resolve, reject) => {
      let unwatch: () => void = () => undefined;
      const leave = (): void => {
        clearTimeout(timer);
        unwatch();
        response.off('close', gone);
        this.cuts.delete(cut);
        readsWaiting.dec();
      };
      const answer = (state: Transition | undefined): void => {
        leave();
        resolve(state);
      };
      const cut = (): void => {
        answer(undefined);
      };
      const gone = (): void => {
        leave();
        reject(new ClientGoneError());
      };
      const timer = setTimeout(answer, waitMs, found);
      this.cuts.add(cut);
      readsWaiting.inc();
      response.once('close', gone);
      unwatch = this.lookup.watch(found.requestId, found, answer);
    });
  }

  onModuleDestroy(): void {
    this.isClosed = true;
    for (const cut of [...this.cuts]) cut();
  }
}
