/**
 * Preload (see `preload.ts`): SIGUSR2 stalls the tails of the log, the next SIGUSR2 resumes them.
 * Consumers continue: unlike tails, their handlers have an `assigned` method.
 */
import { PartitionReader } from '../../../../dist/log/lmdb/partition-reader.js';

let stalled = Promise.resolve();
let goOn;
process.on('SIGUSR2', () => {
  if (goOn === undefined) {
    stalled = new Promise((resolve) => (goOn = resolve));
  } else {
    goOn();
    goOn = undefined;
  }
});

const { handOver } = PartitionReader.prototype;
PartitionReader.prototype.handOver = async function (end) {
  if (this.handler.assigned === undefined) await stalled;
  return handOver.call(this, end);
};
