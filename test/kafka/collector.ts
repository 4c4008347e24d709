import type { LogRecord, RecordHandler } from '../../src/log/upload-log.js';

/** Records what the consumer passes to it, in order. */
export class Collector implements RecordHandler {
  readonly seen: LogRecord[] = [];
  /** `+partition@offset` for each assignment, `-partition` for each revocation. */
  readonly events: string[] = [];
  readonly owned = new Set<number>();

  /** @param work is called for each batch, and the handler waits for it */
  constructor(
    private readonly work: (
      partition: number,
      records: readonly LogRecord[],
    ) => Promise<void> = () => Promise.resolve(),
  ) {}

  assigned(partition: number, offset: number): void {
    this.events.push(`+${partition}@${offset}`);
    this.owned.add(partition);
  }

  revoked(partition: number): void {
    this.events.push(`-${partition}`);
    this.owned.delete(partition);
  }

  async records(partition: number, records: readonly LogRecord[]): Promise<void> {
    this.seen.push(...records);
    await this.work(partition, records);
  }
}

export function texts(records: readonly LogRecord[]): string[] {
  return records.map(({ value }) => value.toString());
}
