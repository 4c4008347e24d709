import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { LogRecord } from '../upload-log.js';

/**
 * Turns the messages of one partition into records, read from its beginning or from anywhere.
 *
 * The broker stamps a record when it takes it. When its clock steps back, or a leader with a slower
 * clock follows, the time of the record before is used.
 */
export class RecordDecoder {
  private timestamp = 0;

  constructor(private readonly partition: number) {}

  /** Leaves out records below `from`: a compressed batch is always sent as a whole. */
  decode(messages: readonly KafkaMessage[], from: number): LogRecord[] {
    const records: LogRecord[] = [];
    for (const { offset: text, timestamp, key, headers, value } of messages) {
      const offset = Number(text);
      if (offset < from) continue;
      this.timestamp = Math.max(this.timestamp, Number(timestamp));
      records.push({
        partition: this.partition,
        offset,
        timestamp: this.timestamp,
        key: key?.toString() ?? '',
        headers: headers === undefined ? {} : textOf(headers),
        value: value === null ? Buffer.alloc(0) : ownBytes(value),
      });
    }
    return records;
  }
}

/** A copy: a part of a large batch would keep all of it in memory as long as the record is held. */
function ownBytes(value: Buffer): Buffer<ArrayBuffer> {
  const { byteLength } = value.buffer;
  return byteLength > 2 * value.length ? Buffer.from(value) : (value as Buffer<ArrayBuffer>);
}

function textOf(headers: IHeaders): Record<string, string> {
  const text: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    // Only foreign producers give a name twice; the first one counts.
    const first = Array.isArray(value) ? value[0] : value;
    if (first !== undefined) text[name] = first.toString();
  }
  return text;
}
