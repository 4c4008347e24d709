import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { attempt } from './attempt.js';
import type { Logger } from './logger.js';
import { measurementFailures, processReady } from './metrics.js';
import { checkReadiness, type ReadinessChecks, type ReadinessReport } from './readiness.js';

export interface OpsServer {
  /** Resolves with the port in use, which `port` 0 leaves to the system. Rejects when it is taken. */
  listen(port: number, host: string): Promise<number>;
  /** Ends every connection. Idempotent. */
  close(): Promise<void>;
}

export interface OpsServerOptions {
  /** Also gets Node's own metrics (event loop lag, memory, garbage collection), once. */
  readonly registry: Registry;
  readonly readiness: ReadinessChecks;
  /** Reported beside them; they do not decide whether the process is ready. */
  readonly reportedOnly?: ReadinessChecks;
  readonly logger: Logger;
  /** By name: each refreshes metrics that are measured on request; it may fail. */
  readonly measurements?: Readonly<Record<string, () => Promise<void>>>;
}

const SCRAPE_WAIT_MS = 2_000;
/** Gauges that prom-client names like counters. The same numbers exist by type. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/**
 * For operators and their tools: `GET /metrics`, `/health/live` (200 while the process answers at
 * all) and `/health/ready` (200 or 503, with what does not hold).
 */
export function createOpsServer(options: OpsServerOptions): OpsServer {
  const { registry, readiness, reportedOnly, logger, measurements = {} } = options;
  if (registry.getSingleMetric('nodejs_eventloop_lag_seconds') === undefined) {
    collectDefaultMetrics({ register: registry });
    for (const name of MISNAMED) registry.removeSingleMetric(name);
  }

  for (const measurement of Object.keys(measurements)) measurementFailures.inc({ measurement }, 0);

  // A failed measurement must not fail the scrape: the counters tell what is wrong.
  async function refresh(measurement: string, measure: () => Promise<void>): Promise<void> {
    const reason = await attempt(measure, SCRAPE_WAIT_MS);
    if (reason === 'ok') return;
    measurementFailures.inc({ measurement });
    logger.warn({ measurement, reason }, 'some metrics are not up to date');
  }

  async function report(others: ReadinessChecks = {}): Promise<ReadinessReport> {
    const content = await checkReadiness(readiness, others);
    processReady.set(content.status === 'unavailable' ? 0 : 1);
    return content;
  }

  async function answer(path: string): Promise<Answer> {
    switch (path) {
      case '/metrics':
        await Promise.all([
          report(),
          ...Object.entries(measurements).map((each) => refresh(...each)),
        ]);
        return { status: 200, type: registry.contentType, body: await registry.metrics() };
      case '/health/live':
        return json(200, { status: 'ok' });
      case '/health/ready': {
        const content = await report(reportedOnly);
        return json(content.status === 'unavailable' ? 503 : 200, content);
      }
      default:
        return json(404, { status: 'not found' });
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      send(response, json(405, { status: 'method not allowed' }));
      return;
    }
    const [path = '/'] = (request.url ?? '/').split('?');
    try {
      send(response, await answer(path));
    } catch (error) {
      logger.error({ err: error }, `no answer to ${path}`);
      send(response, json(500, { status: 'error' }));
    }
  }

  const server = createServer((request, response) => void handle(request, response));

  return {
    async listen(port, host) {
      server.listen(port, host);
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    },
    async close() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function json(status: number, content: unknown): Answer {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(content)}\n` };
}

function send(response: ServerResponse, { status, type, body }: Answer): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}
