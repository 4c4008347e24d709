/**
 * Preload (see `preload.ts`): writes to COVERAGE_FOLDER which functions were called since the last
 * write. The main thread writes on SIGUSR2, a preparing thread with each answer.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { isMainThread, MessagePort, threadId } from 'node:worker_threads';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let taken = 0;
const take = () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const called = result.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [{ count }] }) => count > 0)
        .map(({ ranges: [{ startOffset }] }) => `${url} ${startOffset}`),
    );
    const path = join(process.env.COVERAGE_FOLDER, `${threadId}.${taken++}.json`);
    // A reader finds whole files only.
    writeFileSync(`${path}.new`, JSON.stringify(called));
    renameSync(`${path}.new`, path);
  });
};

if (isMainThread) {
  process.on('SIGUSR2', take);
} else {
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (...args) {
    take();
    return post.apply(this, args);
  };
}
