import { afterEach, beforeEach, expect, test } from '@jest/globals';

import { uploadHeaders } from '../../../support/gateway/forms.js';
import { type Gateway, startGateway } from '../../../support/gateway/gateway.js';
import { RawClient } from '../../../support/gateway/raw-client.js';

const ROUTE = '/custom-data-upload/v1.0/cost/requests/';
const UNKNOWN = '01a1fbda-f483-7a98-aef9-d3cd461cb82d';

let gateway: Gateway;
let client: RawClient;
beforeEach(async () => {
  gateway = await startGateway();
  client = await RawClient.connect(gateway.port);
});
afterEach(async () => {
  client.destroy();
  await gateway.close();
});

/** Resolves the answer of a read that is under way. */
function heldRead(): () => void {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  const find = gateway.lookup.find.bind(gateway.lookup);
  gateway.lookup.find = async (requestId) => {
    await held;
    return find(requestId);
  };
  return release;
}

test('a refused upload that waits to send its body is answered after the read before it', async () => {
  const release = heldRead();
  client.head(`GET ${ROUTE}${UNKNOWN}`, uploadHeaders());
  client.head(`POST ${ROUTE}`, {
    ...uploadHeaders('wrong'),
    'Content-Length': '1000',
    Expect: '100-continue',
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(client.isEnded).toBe(false);
  release();
  expect((await client.answer()).status).toBe(404);
  expect((await client.answer()).status).toBe(401);
});
