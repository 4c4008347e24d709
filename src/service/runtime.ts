import { setDefaultHighWaterMark } from 'node:stream';
import { setFlagsFromString } from 'node:v8';

/** As Node 20. From 22 on streams hold 64 KiB, and an upload passes through several. */
const STREAM_BYTES = 16 * 1024;
/** That of Node 24. Earlier ones do not know the flag. */
const FIRST_V8_WITH_FLAG = 13;
const FLAG = '--external-memory-accounted-in-global-limit';

/**
 * Sets up Node for this process and its threads. Call this first.
 *
 * By default V8 collects its whole heap whenever memory outside it has grown by 64 MB. Chunks and
 * records are outside it, and the Kafka client copies them several times, so a fifth of the
 * processor time went into collections. With the flag, memory outside the heap counts as a part of
 * it: the larger both are, the more they may grow before the next collection.
 */
export function setUpRuntime(): void {
  setDefaultHighWaterMark(false, STREAM_BYTES);
  if (Number.parseInt(process.versions.v8) < FIRST_V8_WITH_FLAG) return;
  setFlagsFromString(FLAG);
}
