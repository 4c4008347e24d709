import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { UploadRequestRecord } from '../../../src/status/transition.js';
import { ApiClient } from '../../support/service/api-client.js';
import { Deployment, describeDeployments } from '../../support/service/deployment.js';
import {
  accepted,
  fileOf,
  QUICK,
  retried,
  send,
  storedClicks,
} from '../../support/service/idempotent.js';
import { killedAtEnd } from '../../support/service/preloads/preload.js';
import { tokenFor } from '../../support/service/service-process.js';

/** A key gives one upload, whatever happens to the gateways. */

const ACCOUNT = 'acme';
/** A claim settles after 18 s: the embedded log answers sooner than a broker beside other tests. */
const QUICKER = { LOG_TIMEOUT_SECONDS: '6' };

describeDeployments((kind) => {
  const settings = kind.log === 'lmdb' ? QUICKER : QUICK;
  let deployment: Deployment;
  let client: ApiClient;
  let token: string;

  beforeAll(async () => {
    deployment = await Deployment.open(kind);
    token = await tokenFor(deployment.dataDir, ACCOUNT);
    client = new ApiClient(() => deployment.service.ports.api, token);
    await deployment.start(settings);
  });
  afterAll(() => deployment.close());

  const create = (key: string, content: string): Promise<Response> =>
    send(deployment.service, token, key, content);
  const requestsOf = (campaign: string): Promise<{ requests: string[] }[]> =>
    deployment.query(
      `SELECT groupUniqArray(toString(request_id)) AS requests FROM cost_rows WHERE campaign = '${campaign}'`,
    );

  test('a repeated upload gives the request of the first, in its state by then', async () => {
    const { requestId } = await accepted(create('again', fileOf('again')));
    const finished = await client.finished('cost', requestId);
    expect(await accepted(create('again', fileOf('again')))).toEqual(finished);
    expect((await create('again', fileOf('again', 2))).status).toBe(422);
    expect(await deployment.query(`${storedClicks}again'`)).toEqual([{ clicks: 1, rows: 1 }]);
  });

  test('ten at once become one request', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, () => accepted(create('ten', fileOf('ten')))),
    );
    const [requestId] = new Set(all.map((record) => record.requestId));
    expect(new Set(all.map((record) => record.requestId)).size).toBe(1);
    await client.finished('cost', requestId!);
    expect(await requestsOf('ten')).toEqual([{ requests: [requestId] }]);
  });

  test('a key is remembered over a restart', async () => {
    const { requestId } = await accepted(create('restart', fileOf('restart')));
    await client.finished('cost', requestId);
    await deployment.service.stop();
    await deployment.start(settings);
    expect((await accepted(create('restart', fileOf('restart')))).requestId).toBe(requestId);
    expect((await create('restart', fileOf('restart', 2))).status).toBe(422);
  });

  describe('a gateway that dies', () => {
    let died: UploadRequestRecord;
    let ended: UploadRequestRecord;

    /** Starts a gateway that dies before or after the end of an upload, which gets no answer. */
    async function letDie(when: 'before' | 'after', key: string): Promise<void> {
      await deployment.start({ ...settings, ...killedAtEnd(when) });
      await expect(create(key, fileOf(key))).rejects.toThrow();
      await deployment.service.exited;
    }

    const retriedCreate = (key: string): Promise<UploadRequestRecord> =>
      accepted(retried(() => create(key, fileOf(key))));

    beforeAll(async () => {
      await deployment.service.stop();
      await letDie('before', 'died');
      await letDie('after', 'ended');
      await deployment.start(settings);
      // Side by side, because each may have to wait until the claim of the dead gateway settles.
      [died, ended] = await Promise.all([retriedCreate('died'), retriedCreate('ended')]);
    });

    test('between the claim and the end leaves the key to the retry', async () => {
      const { requestId } = died;
      expect(await client.finished('cost', requestId)).toMatchObject({ status: 'succeeded' });
      expect((await accepted(create('died', fileOf('died')))).requestId).toBe(requestId);
      expect(await requestsOf('died')).toEqual([{ requests: [requestId] }]);
    });

    test('behind the end has made a request, which the retry gets', async () => {
      const { requestId } = ended;
      await client.finished('cost', requestId);
      expect(await requestsOf('ended')).toEqual([{ requests: [requestId] }]);
    });
  });
});
