import { expect, test } from '@jest/globals';

import { VersionClock } from '../../../src/domain/version.js';
import { StatusTail } from '../../../src/status/status-tail.js';
import { StatusView } from '../../../src/status/status-view.js';
import { BrokenTails } from '../../support/log/broken-tails.js';

test('the status topic followed no longer is told to whoever shows statuses', async () => {
  const tails = new BrokenTails();
  const clock = new VersionClock(Date.now, () => 0n);
  const tail = await StatusTail.start(tails.log, new StatusView(1_000_000), clock);
  tails.break('not a transition');
  await expect(tail.failed).rejects.toThrow('not a transition');
});
