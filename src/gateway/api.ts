import type { Server } from 'node:http';
import type { DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express from 'express';
import type { ApiRequest } from './http/call.js';
import type { GatewayDependencies } from './dependencies.js';
import { docsRouter } from './docs/docs-router.js';
import { OPEN_API_DOCUMENT } from './docs/document.js';
import { Claims } from './create/idempotency/claims.js';
import { ExpressServer } from './http/express-server.js';
import { NestLog } from '../ops/nest-log.js';

const HEADERS_TIMEOUT_MS = 20_000;
/**
 * Above the usual idle time of load balancers (60 s): they close a connection first, and never
 * write into one that is being closed.
 */
const KEEP_ALIVE_MS = 75_000;
/** The upload deadline gives the answer. Node's own timeout bounds everything else. */
const REQUEST_TIMEOUT_MARGIN_MS = 60_000;

/**
 * The API as an application that is ready to listen.
 *
 * @param root holds the module of the gateway
 */
export async function createApi(
  root: DynamicModule,
  { config, logger }: Pick<GatewayDependencies, 'config' | 'logger'>,
): Promise<NestExpressApplication> {
  const instance = express();
  instance.disable('x-powered-by');
  instance.disable('etag');
  instance.enable('case sensitive routing');
  // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares these options as a class and takes plain objects
  const app = await NestFactory.create<NestExpressApplication>(root, new ExpressServer(instance), {
    // The bodies are read by the create operation itself, after the token is checked.
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(logger),
  });

  instance.use('/docs', docsRouter(OPEN_API_DOCUMENT));

  const server: Server = app.getHttpServer();
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = config.limits.uploadDeadlineMs + REQUEST_TIMEOUT_MARGIN_MS;
  // Without a listener Node says "100 Continue" by itself, before the token is checked.
  server.on('checkContinue', (request, response) => {
    (request as ApiRequest).awaitsContinue = true;
    server.emit('request', request, response);
  });
  return app;
}

/** Rejects when the API cannot go on. */
export function failureOf(api: NestExpressApplication): Promise<never> {
  return api.get(Claims).failed;
}
