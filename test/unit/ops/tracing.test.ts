import { expect, test } from '@jest/globals';

import { beginSpan, SpanKind, traceParentOf } from '../../../src/ops/tracing.js';

test('without a collector a span records nothing, and a caller’s trace is passed on', () => {
  const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const span = beginSpan('create', SpanKind.SERVER, parent);
  expect(span.isRecording()).toBe(false);
  expect(traceParentOf(span)).toBe(parent);
  expect(traceParentOf(beginSpan('create', SpanKind.SERVER, undefined))).toBeUndefined();
});
