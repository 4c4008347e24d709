import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';

import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import { tokenFor } from '../../support/service/service-process.js';

/** The trace of a request, as a collector gets it from the built service. */

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const FILE =
  'date,channel,currency,campaign,impressions,clicks,cost\n2026-01-01,news,EUR,secret name,1,2,3\n';

const spans: Span[] = [];
let collector: Server;

beforeAll(async () => {
  collector = createServer((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as {
        resourceSpans: { scopeSpans: { spans: Span[] }[] }[];
      };
      for (const { scopeSpans } of resourceSpans) {
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await once(collector.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  collector.close();
});

describeDeployments((kind) => {
  let deployment: Deployment;
  beforeEach(async () => {
    spans.length = 0;
    deployment = await Deployment.open(kind);
  });
  afterEach(() => deployment.close());

  test('the trace of a request goes through the log to the batch that stores it', async () => {
    const { port } = collector.address() as AddressInfo;
    const token = await tokenFor(deployment.dataDir, 'acme');
    const service = await deployment.start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    });
    const base = `http://127.0.0.1:${service.ports.api}/custom-data-upload/v1.0/cost/requests/`;
    const form = new FormData();
    form.append('file', new Blob([FILE]), 'data.csv');
    const headers = { Authorization: `SERVICE-API-KEY ${token}` };
    const created = await fetch(base, {
      method: 'POST',
      headers: { ...headers, traceparent: `00-${TRACE}-${PARENT}-01` },
      body: form,
    });
    expect(created.status).toBe(201);
    const { requestId } = (await created.json()) as { requestId: string };
    let status = '';
    while (status !== 'succeeded') {
      const answer = await fetch(base + requestId, { headers: { ...headers, Prefer: 'wait=5' } });
      ({ status } = (await answer.json()) as { status: string });
    }
    // A clean stop exports the remaining spans.
    expect(await service.stop()).toBe(0);

    const named = (name: string): Span => spans.find((span) => span.name === name)!;
    const [create, process, validate, batch] = ['create', 'process', 'validate', 'write batch'].map(
      named,
    ) as [Span, Span, Span, Span];
    expect([create.traceId, create.parentSpanId]).toEqual([TRACE, PARENT]);
    expect([process.traceId, process.parentSpanId]).toEqual([TRACE, create.spanId]);
    expect([validate.traceId, validate.parentSpanId]).toEqual([TRACE, process.spanId]);
    expect(batch.links).toEqual([
      expect.objectContaining({ traceId: TRACE, spanId: process.spanId }),
    ]);
    expect(process.attributes).toContainEqual({
      key: 'requestId',
      value: { stringValue: requestId },
    });
    // Spans contain neither the account nor the content of the file.
    expect(JSON.stringify(spans)).not.toMatch(/acme|secret name|data\.csv|SERVICE-API-KEY/);
  });
});
