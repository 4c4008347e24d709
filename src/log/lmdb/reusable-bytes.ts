import type { Database, RootDatabase } from 'lmdb';

/** At the start of the file. */
const META_PAGES = 2;

/** How many pages a database, or the list of free pages, takes. */
interface Pages {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** What lmdb tells of an environment. */
interface FileStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  /** The unnamed database. */
  readonly root: Pages;
  /** The list of free pages. */
  readonly free: Pages;
}

/** The bytes of a file's pages that hold nothing any more. Takes 0.05 ms. */
export function reusableBytes(environment: RootDatabase, named: readonly Database[]): number {
  environment.resetReadTxn();
  const { pageSize, lastPageNumber, root, free } = environment.getStats() as FileStats;
  const databases = named.map((database) => database.getStats() as Pages);
  let pages = lastPageNumber + 1 - META_PAGES;
  for (const { treeBranchPageCount, treeLeafPageCount, overflowPages } of [
    root,
    free,
    ...databases,
  ]) {
    pages -= treeBranchPageCount + treeLeafPageCount + overflowPages;
  }
  return pages * pageSize;
}
