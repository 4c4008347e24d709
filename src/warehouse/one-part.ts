/**
 * Settings under which one block becomes one part, whatever its size: a single thread reads it,
 * nothing cuts it, and nothing smaller is passed on. Values are not merged at the insert
 * (`optimize_on_insert`): readers and merges do that anyway, and the insert is four times cheaper.
 */
export const ONE_PART = {
  max_threads: 1,
  max_insert_threads: 1,
  max_block_size: 1_000_000_000,
  max_insert_block_size: 1_000_000_000,
  min_insert_block_size_rows: 1_000_000_000,
  min_insert_block_size_bytes: 1_000_000_000_000,
  async_insert: 0,
  optimize_on_insert: 0,
} as const;
