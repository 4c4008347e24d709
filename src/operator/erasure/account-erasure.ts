import { lastVersionAt, timeOfVersion } from '../../domain/version.js';
import type { Limits } from '../../config/config.js';
import type { LogRecord, RecordToAppend } from '../../log/upload-log.js';
import type { Erasure } from '../../warehouse/row-store.js';

/** For clocks that differ, and until every gateway has read the tokens file again. */
const MARGIN_MS = 5_000;

/** An operator's order to erase an account, as a record of the control topic. */
export interface AccountErasure extends Erasure {
  /** `operator:` and a name. */
  readonly actor: string;
}

/**
 * The order to erase an account. It covers uploads under way as well: the last of them gets its
 * version when its body has arrived and the log has answered twice (its chunks, the fence).
 *
 * @param at now, milliseconds since the epoch
 * @param newest a version above all that were given: gateways' clocks may be ahead of this one
 */
export function orderErasure(
  account: string,
  actor: string,
  at: number,
  newest: bigint,
  { uploadDeadlineMs, logTimeoutMs }: Pick<Limits, 'uploadDeadlineMs' | 'logTimeoutMs'>,
): AccountErasure {
  const until =
    Math.max(at, timeOfVersion(newest)) + uploadDeadlineMs + 2 * logTimeoutMs + MARGIN_MS;
  return { account, version: lastVersionAt(until), actor, at };
}

export function erasureRecord({ account, version, actor, at }: AccountErasure): RecordToAppend {
  const order = { account, version: version.toString(), actor, at: new Date(at).toISOString() };
  return {
    key: account,
    headers: { type: 'account-erasure' },
    value: Buffer.from(JSON.stringify(order)),
  };
}

/** The order in a control record; undefined for records about something else. */
export function erasureOf(record: LogRecord): AccountErasure | undefined {
  if (record.headers['type'] !== 'account-erasure') return undefined;
  const order = JSON.parse(record.value.toString('utf8')) as Record<
    'account' | 'version' | 'actor' | 'at',
    string
  >;
  return { ...order, version: BigInt(order.version), at: Date.parse(order.at) };
}
