import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';

import { Assembler } from '../../../../src/ingest/assemble/assembler.js';
import { Watermark } from '../../../../src/ingest/watermark/owned-partition.js';
import { runs } from '../../../support/model/property.js';
import { Partition } from './partition.js';
import { openStore, SpillFolder } from './spill-folder.js';

let folder: SpillFolder;
beforeEach(async () => {
  folder = await SpillFolder.create();
});
afterEach(() => folder.remove());

interface Plan {
  readonly partition: Partition;
  /** The file of each request, by request id. */
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Returns uploads whose chunks interleave at random. Some records are duplicated. Some uploads are
 * aborted or stay open.
 */
function planOf(seeds: readonly number[], fates: readonly string[]): Plan {
  const partition = new Partition();
  const files = new Map<string, string>();
  const uploads = fates.map((fate, i) => ({
    id: `upload-${i}`,
    fate,
    chunks: Array.from({ length: i % 4 }, (_, sequence) => `<${i}:${sequence}>`),
    sent: 0,
    firstOffset: null as number | null,
    isDone: false,
  }));
  for (const seed of seeds) {
    const upload = uploads[seed % uploads.length]!;
    if (upload.isDone && seed % 3 === 0 && upload.chunks.length > 0) {
      partition.chunk(upload.id, 0, upload.chunks[0]!);
    } else if (upload.sent < upload.chunks.length) {
      const { offset } = partition.chunk(upload.id, upload.sent, upload.chunks[upload.sent]!);
      upload.firstOffset ??= offset;
      if (seed % 5 === 0) partition.chunk(upload.id, upload.sent, upload.chunks[upload.sent]!);
      upload.sent++;
    } else if (!upload.isDone && upload.fate === 'end') {
      partition.finish(upload.id, upload.chunks.length, upload.firstOffset);
      files.set(upload.id, upload.chunks.join(''));
      upload.isDone = true;
    } else if (!upload.isDone && upload.fate === 'abort') {
      partition.abort(upload.id);
      upload.isDone = true;
    }
  }
  return { partition, files };
}

test('whenever a consumer dies, the next one completes what was not durable, from the watermark on', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(10_000), { minLength: 5, maxLength: 60 }),
      fc.array(fc.constantFrom('end', 'end', 'end', 'abort', 'open'), {
        minLength: 1,
        maxLength: 6,
      }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 7 }),
      fc.nat(40),
      async (seeds, fates, deathAt, becomesDurable, memory) => {
        const { partition, files } = planOf(seeds, fates);
        const store = await openStore(folder, memory);
        const durable = new Set<string>();

        const consume = async (
          from: number,
          to: number,
        ): Promise<[number, Map<string, string>]> => {
          const watermark = new Watermark(from);
          const assembler = new Assembler(partition.log, store, watermark, 60_000);
          const complete = new Map<string, string>();
          for (const record of partition.records.slice(from, to)) {
            const upload = await assembler.take(record);
            if (upload !== undefined) {
              expect(complete.has(upload.requestId)).toBe(false);
              complete.set(upload.requestId, Buffer.concat(upload.parts!).toString());
              if (becomesDurable[record.offset % becomesDurable.length]!) {
                durable.add(upload.requestId);
                watermark.release(upload.requestId);
              }
            }
            expect(watermark.value).toBeLessThanOrEqual(record.offset + 1);
          }
          await assembler.close();
          return [watermark.value, complete];
        };

        const death = Math.floor(deathAt * partition.end);
        const [committed, before] = await consume(0, death);
        const durableBefore = new Set(durable);
        const [, after] = await consume(committed, partition.end);

        for (const [requestId, file] of files) {
          if (!durableBefore.has(requestId)) expect(after.get(requestId)).toBe(file);
        }
        for (const [requestId, file] of [...before, ...after]) {
          expect(file).toBe(files.get(requestId));
        }
        expect(await folder.files()).toEqual([]);
      },
    ),
    runs(150),
  );
});
