import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  Inject,
  Injectable,
  type BeforeApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { inTime } from '../../domain/in-time.js';
import { uploadsReceiving } from '../../ops/metrics.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../dependencies.js';
import { shuttingDown, tooManyUploads } from './problem.js';

/** At once. Each may hold some chunks of its file, and a gateway has a bound of memory. */
const MOST_CREATES = 500;
const SWEEP_MS = 50;
/** For uploads whose connections were cut: time to write their last record. */
const AFTER_CUT_MS = 1_000;

/** The creates under way in this gateway: bounded, and a shutdown waits for them. */
@Injectable()
export class OpenCreates {
  private count = 0;
  private isClosed = false;
  private idle: () => void = () => undefined;

  /**
   * Begins a create; the returned function ends it.
   *
   * @throws Problem 503 once closed, and while too many are under way
   */
  begin(): () => void {
    this.refuseIfClosed();
    if (this.count === MOST_CREATES) throw tooManyUploads();
    this.count += 1;
    uploadsReceiving.inc();
    return () => {
      this.count -= 1;
      uploadsReceiving.dec();
      if (this.count === 0) this.idle();
    };
  }

  /** @throws Problem 503 once closed */
  refuseIfClosed(): void {
    if (this.isClosed) throw shuttingDown();
  }

  /** From now on no create begins, and no preview. */
  close(): void {
    this.isClosed = true;
  }

  /** Resolves when no create is under way, or after `timeoutMs`, with whether none is. */
  async finished(timeoutMs: number): Promise<boolean> {
    if (this.count === 0) return true;
    const isIdle = new Promise<true>((resolve) => {
      this.idle = () => {
        resolve(true);
      };
    });
    return inTime(isIdle, timeoutMs, () => false);
  }
}

/**
 * Ends connections without cutting an upload under way: new uploads are refused, those under way
 * are waited for until the shutdown deadline, and only idle connections are closed meanwhile.
 * Node's own close waits for silent connections without end.
 */
@Injectable()
export class GracefulShutdown implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  /** Connections that have not sent a request yet; Node does not count them as idle. */
  private readonly silent = new Set<Socket>();

  constructor(
    @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
    @Inject(OpenCreates) private readonly creates: OpenCreates,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  onModuleInit(): void {
    const server = this.server();
    server.on('connection', (socket) => {
      this.silent.add(socket);
      socket.once('close', () => this.silent.delete(socket));
    });
    server.on('request', ({ socket }) => this.silent.delete(socket));
  }

  onModuleDestroy(): void {
    this.creates.close();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const server = this.server();
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      for (const socket of this.silent) socket.destroy();
    }, SWEEP_MS);
    const { shutdownMs } = this.config.limits;
    const deadline = setTimeout(() => {
      server.closeAllConnections();
    }, shutdownMs);
    server.once('close', () => {
      clearInterval(sweep);
      clearTimeout(deadline);
    });
    const finished = await this.creates.finished(shutdownMs);
    if (!finished) await this.creates.finished(AFTER_CUT_MS);
  }

  private server(): Server {
    return this.adapterHost.httpAdapter.getHttpServer() as Server;
  }
}
