import { expect, test } from '@jest/globals';

import { uploadInFlight } from '../../../src/ingest/upload-in-flight.js';
import { OwnedPartition } from '../../../src/ingest/watermark/owned-partition.js';
import { uploaded } from '../../../src/status/transition.js';

const ACCEPTED_AT = Date.parse('2026-03-10T12:00:00Z');
const IDS = {
  requestId: '019e1f5a-6a10-7c3e-8f21-6f0d2b8f4a01',
  account: 'acme',
  family: 'cost',
} as const;

const owned = new OwnedPartition(
  0,
  0,
  () => {
    throw new Error('nothing is committed here');
  },
  () => undefined,
);

test('an upload that is read from the log again has the first transition that it was given', () => {
  const end = {
    chunks: 2,
    bytes: 583,
    firstOffset: 0,
    acceptedAt: ACCEPTED_AT,
    version: '7',
    finding: null,
    requestDay: 0,
    integratedChannels: [],
  };
  const place = { partition: 0, endOffset: 2, traceparent: undefined, parts: [] };
  const { span, transition } = uploadInFlight({ ...IDS, ...place, end }, owned);
  span.end();
  const accepted = { ...IDS, version: '7', sentMax: '7', bytes: 583 };
  expect(transition).toEqual(uploaded(accepted, ACCEPTED_AT));
});
