/**
 * Preloaded into a process (see `preload.ts`), lets LMDB fail from SIGUSR2 on as it does after a failed
 * write of its own page: reads are answered MDB_PANIC, writes not at all.
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
