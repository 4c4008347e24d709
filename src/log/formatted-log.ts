import type {
  Consumption,
  LogRecord,
  RecordHandler,
  RecordPosition,
  RecordToAppend,
  Tail,
  Topic,
  TopicRecords,
  UploadLog,
} from './upload-log.js';

/**
 * By topic: the number of the form in which records are written. A form that older versions would
 * misread gets the next number; every form with a lower number is still read.
 */
export const FORMATS: Readonly<Record<Topic, number>> = {
  uploads: 1,
  status: 1,
  'dead-letter': 1,
  control: 1,
  claims: 1,
};

/** What a record says of its form, in one line: this version of the service cannot read on. */
export class RecordFormatError extends Error {
  override readonly name = 'RecordFormatError';

  constructor(topic: Topic, { partition, offset, headers }: LogRecord) {
    const format = headers['format'] ?? 'none';
    super(
      `the record at offset ${offset} of partition ${partition} of the topic ${topic} has the format ${format}, ` +
        `and this version of the service reads formats up to ${FORMATS[topic]}: install the newer version`,
    );
  }
}

/**
 * A log whose records say in which form they are written, in a header. Records in a form that is not
 * known here are handed to nobody, so nothing is committed beyond them.
 */
export class FormattedLog implements UploadLog {
  constructor(private readonly log: UploadLog) {}

  partitions(topic: Topic): number {
    return this.log.partitions(topic);
  }

  append(topic: Topic, records: readonly RecordToAppend[]): Promise<readonly RecordPosition[]> {
    return this.log.append(topic, formatted(topic, records));
  }

  appendInOrder(appends: readonly TopicRecords[]): Promise<void> {
    return this.log.appendInOrder(
      appends.map(({ topic, records }) => ({ topic, records: formatted(topic, records) })),
    );
  }

  endOffsets(topic: Topic): Promise<readonly number[]> {
    return this.log.endOffsets(topic);
  }

  endOffset(topic: Topic, partition: number): Promise<number> {
    return this.log.endOffset(topic, partition);
  }

  committedOffsets(topic: Topic, group: string): Promise<readonly number[]> {
    return this.log.committedOffsets(topic, group);
  }

  rewind(topic: Topic, group: string, offsets: readonly number[]): Promise<void> {
    return this.log.rewind(topic, group, offsets);
  }

  consume(topic: Topic, group: string, handler: RecordHandler): Promise<Consumption> {
    return this.log.consume(topic, group, {
      assigned: (partition, offset) => {
        handler.assigned(partition, offset);
      },
      revoked: (partition) => {
        handler.revoked(partition);
      },
      records: async (partition, records) => {
        check(topic, records);
        await handler.records(partition, records);
      },
    });
  }

  tail(
    topic: Topic,
    from: readonly number[],
    onRecords: (records: readonly LogRecord[]) => void,
  ): Promise<Tail> {
    return this.log.tail(topic, from, (records) => {
      check(topic, records);
      onRecords(records);
    });
  }

  async *read(
    topic: Topic,
    partition: number,
    from: number,
    to: number,
  ): AsyncIterable<readonly LogRecord[]> {
    for await (const records of this.log.read(topic, partition, from, to)) {
      check(topic, records);
      yield records;
    }
  }

  maxRetentionMs(topic: Topic): Promise<number> {
    return this.log.maxRetentionMs(topic);
  }

  close(): Promise<void> {
    return this.log.close();
  }
}

function formatted(topic: Topic, records: readonly RecordToAppend[]): RecordToAppend[] {
  const format = String(FORMATS[topic]);
  return records.map((record) => ({ ...record, headers: { ...record.headers, format } }));
}

/** @throws RecordFormatError of the first record whose form is not known here */
function check(topic: Topic, records: readonly LogRecord[]): void {
  for (const record of records) {
    const format = Number(record.headers['format']);
    // Without a header it is not a number.
    if (!(format >= 1 && format <= FORMATS[topic])) throw new RecordFormatError(topic, record);
  }
}
