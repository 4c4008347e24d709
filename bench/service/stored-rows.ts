import type { Bench } from '../benchmark.js';
import type { Totals } from '../load/totals.js';
import { Child } from '../process/child.js';
import { makeFolder } from '../process/cleanup.js';
import type { StoreRowsCommands } from '../programs/store-rows.js';
import { ACCOUNT, accountsOf } from './service.js';
import { costLoad, FILE_ROWS } from './throughput.js';

/** Accounts that upload in B1, too. */
const ACCOUNTS = accountsOf(ACCOUNT, 5);
const ROWS_PER_KEY = 5;

export interface StoredRows {
  /** A data folder to copy. It must not be opened. */
  readonly folder: string;
  readonly rows: number;
  /** By account. */
  readonly totals: ReadonlyMap<string, Totals>;
}

let stored: Promise<StoredRows> | undefined;

/** A data folder with merged rows of several accounts. A run makes it once. */
export function storedRows(bench: Bench): Promise<StoredRows> {
  stored ??= make(bench);
  return stored;
}

async function make({ sizes, say }: Bench): Promise<StoredRows> {
  say(`storing ${sizes.storedRows} rows`);
  const folder = await makeFolder();
  const program = Child.start<StoreRowsCommands>('programs/store-rows');
  const files = Math.ceil(sizes.storedRows / ACCOUNTS.length / FILE_ROWS);
  const totals = new Map<string, Totals>();
  let rows = 0;
  try {
    await program.call('open', { dataDir: folder });
    for (const [at, account] of ACCOUNTS.entries()) {
      const load = { ...costLoad(files, ROWS_PER_KEY, 100 + at), isDisjoint: true };
      const kept = await program.call('store', { account, load });
      rows += kept.rows;
      totals.set(account, kept);
    }
    await program.call('finish');
    return { folder, rows, totals };
  } finally {
    await program.end();
  }
}
