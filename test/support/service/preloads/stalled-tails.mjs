/**
 * Preloaded into a process (see `preload.ts`), lets the tails of its log stall at SIGUSR2, and go on at
 * the next. Consumers go on: they are told of their assignments, tails are not.
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
