import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  ROOT_CONTEXT,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

export { SpanKind, type Span } from '@opentelemetry/api';

/** The W3C trace context of a request or a record: its header `traceparent`, if it has one. */
export type TraceParent = string | undefined;

/** What spans say of an upload: never a value of a file, nor an account. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

const SERVICE_NAME = 'custom-data-upload';
const propagator = new W3CTraceContextPropagator();

/**
 * Exports spans to a collector (OTLP over HTTP, as JSON). Without this call spans cost nothing and
 * go nowhere; a caller's trace context is still passed on.
 *
 * The SDK is loaded here, so that a process that exports nothing does not hold it.
 *
 * @param endpoint the collector's base address, to which `/v1/traces` is added
 * @returns exports what is left and stops
 */
export async function startTracing(endpoint: string): Promise<() => Promise<void>> {
  const [{ BasicTracerProvider, BatchSpanProcessor }, { OTLPTraceExporter }, resources] =
    await Promise.all([
      import('@opentelemetry/sdk-trace-base'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ]);
  const url = new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href;
  const provider = new BasicTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': SERVICE_NAME }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url }))],
  });
  trace.setGlobalTracerProvider(provider);
  return async () => {
    await provider.shutdown();
    trace.disable();
  };
}

/** Begins a span in the trace of `parent`, or in a new trace. The caller ends it. */
export function beginSpan(
  name: string,
  kind: SpanKind,
  parent: TraceParent | Span,
  attributes: SpanAttributes = {},
  linked: readonly Span[] = [],
): Span {
  const above =
    typeof parent === 'object'
      ? trace.setSpan(ROOT_CONTEXT, parent)
      : propagator.extract(ROOT_CONTEXT, { traceparent: parent }, defaultTextMapGetter);
  const links: Link[] = linked.map((span) => ({ context: span.spanContext() }));
  return trace.getTracer(SERVICE_NAME).startSpan(name, { kind, attributes, links }, above);
}

/** What another process needs to continue the span's trace; undefined when there is no trace. */
export function traceParentOf(span: Span): TraceParent {
  const carrier: { traceparent?: string } = {};
  propagator.inject(trace.setSpan(ROOT_CONTEXT, span), carrier, defaultTextMapSetter);
  return carrier.traceparent;
}

/** Ends a span, with the reason's class if its work has failed. */
export function endSpan(span: Span, failure?: string): void {
  if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
  span.end();
}
