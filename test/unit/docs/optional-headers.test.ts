import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';

import { idempotencyKey } from '../../../src/gateway/create/admission.js';
import {
  keyInProgress,
  keyReused,
  type Problem,
  tooManyRequests,
} from '../../../src/gateway/http/problem.js';
import { code, Page } from '../../support/documents/page.js';

const page = new Page('upload-rules.md');

function malformedKey(): Problem {
  const request = { headersDistinct: { 'idempotency-key': [''] } };
  try {
    idempotencyKey(request as unknown as IncomingMessage);
  } catch (error) {
    return error as Problem;
  }
  throw new Error('an empty key is taken');
}

test('what the optional headers add to the answers is what the service says', () => {
  const listed = page.tableUnder('What these headers add to the answers:');
  const actual = [malformedKey(), keyInProgress(1), keyReused(), tooManyRequests('uploads', 1)];
  expect(listed.map(([status, , detail]) => [Number(status), code(detail!)])).toEqual(
    actual.map(({ status, detail }) => [status, detail]),
  );
});
