import type { FamilyName } from '../../domain/families/index.js';
import type { UploadLog } from '../upload-log.js';
import { type DeadLetter, type SetAside, typeOf } from './dead-letter.js';

/** Every upload that was set aside, is still kept and was not erased, by request, oldest first. */
export async function listDeadLetters(log: UploadLog): Promise<DeadLetter[]> {
  const letters = new Map<string, DeadLetter>();
  /** Of each account the highest version that was erased. */
  const erased = new Map<string, bigint>();
  const ends = await log.endOffsets('dead-letter');
  for (const [partition, end] of ends.entries()) {
    for await (const records of log.read('dead-letter', partition, 0, end)) {
      for (const record of records) {
        const requestId = record.headers['requestId']!;
        const known = letters.get(requestId);
        if (typeOf(record) === 'erased') {
          const account = record.headers['account']!;
          const version = BigInt(record.value.toString('utf8'));
          if (version > (erased.get(account) ?? -1n)) erased.set(account, version);
        } else if (typeOf(record) === 'set-aside') {
          letters.set(requestId, {
            ...(JSON.parse(record.value.toString('utf8')) as SetAside),
            requestId,
            account: record.headers['account']!,
            family: record.headers['family'] as FamilyName,
            position: { partition, offset: record.offset },
            at: record.timestamp,
            retriedAs: known?.retriedAs,
          });
        } else if (typeOf(record) === 'retried' && known !== undefined) {
          letters.set(requestId, { ...known, retriedAs: record.value.toString('utf8') });
        }
      }
    }
  }
  // Last: an upload that was being set aside may stand behind the record that erases it.
  return [...letters.values()]
    .filter(({ account, end }) => BigInt(end.version) > (erased.get(account) ?? -1n))
    .sort((a, b) => a.at - b.at);
}
