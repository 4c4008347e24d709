import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { ApiClient } from './api-client.js';
import { type ServiceProcess, tokenFor } from './service-process.js';

/** A client with a new token. Resolves once the running gateway accepts the token. */
export async function clientOf(
  account: string,
  tokensDir: string,
  gateway: () => ServiceProcess,
): Promise<ApiClient> {
  const token = await tokenFor(tokensDir, account);
  const client = new ApiClient(() => gateway().ports.api, token);
  while ((await client.get('cost', randomUUID())).status === 401) await sleep(50);
  return client;
}
