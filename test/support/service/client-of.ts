import { randomUUID } from 'node:crypto';
import { ApiClient } from './api-client.js';
import { type ServiceProcess, tokenFor } from './service-process.js';
import { until } from '../until.js';

/** A client with a new token. Resolves once the running gateway accepts the token. */
export async function clientOf(
  account: string,
  tokensDir: string,
  gateway: () => ServiceProcess,
): Promise<ApiClient> {
  const token = await tokenFor(tokensDir, account);
  const client = new ApiClient(() => gateway().ports.api, token);
  await until(async () => (await client.get('cost', randomUUID())).status !== 401, 50);
  return client;
}
