/** Settings of a preview's queries, which must not disturb the row path: one thread, 96 MiB. */
const ASIDE = 'max_threads = 1, max_memory_usage = 100663296';

/** For comparisons: the preview still has time to say that the file is too large for one. */
export const FOR_COMPARISONS = `${ASIDE}, max_execution_time = 5`;

/** For what only warnings need: the preview goes on without it, and has time left for that. */
export const FOR_WARNINGS = `${ASIDE}, max_execution_time = 3`;
