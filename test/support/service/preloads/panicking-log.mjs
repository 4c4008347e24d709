/**
 * Preload (see `preload.ts`): from SIGUSR2 on, LMDB fails as it does after a failed write of its
 * meta page. Reads throw MDB_PANIC, and writes never return.
 */
import { LogStore } from '../../../../dist/log/lmdb/log-store.js';

let isDead = false;
process.on('SIGUSR2', () => (isDead = true));

const panic = () => {
  throw new Error('MDB_PANIC: Update of meta page failed or environment had fatal error');
};
const writeAfter = LogStore.prototype.writeAfter;
LogStore.prototype.writeAfter = function (...args) {
  if (isDead) {
    this.head.ifVersion = () => new Promise(() => undefined);
    this.head.getEntry = panic;
  }
  return writeAfter.apply(this, args);
};
