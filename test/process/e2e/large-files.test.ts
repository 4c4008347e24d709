import { afterAll, beforeAll, test } from '@jest/globals';

import { ApiClient } from '../../support/service/api-client.js';
import { expectLargeFilesUnmixed } from '../../support/files/large-files.js';
import {
  makeDataDir,
  removeDataDir,
  ServiceProcess,
  tokenFor,
} from '../../support/service/service-process.js';

let dataDir: string;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  dataDir = await makeDataDir();
});
afterAll(async () => {
  await service?.kill();
  await removeDataDir(dataDir);
});

test('a file that is written over the columns of an earlier one leaves its rows as they were', async () => {
  const token = await tokenFor(dataDir, 'acme');
  const started = await ServiceProcess.start(dataDir);
  service = started;
  const client = new ApiClient(() => started.ports.api, token);
  await expectLargeFilesUnmixed(client, 'acme', started, started);
});
