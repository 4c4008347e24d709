/** The gateway on a log in memory, as in a test. The log can be told to stall. */
import { OWNER, startGateway, type Gateway } from '../../test/support/gateway/gateway.js';
import { MemoryLog } from '../../test/support/gateway/memory-log.js';
import type { RecordPosition, RecordToAppend, Topic } from '../../src/log/upload-log.js';
import type { Target } from '../load/requests.js';
import { obey } from '../process/commands.js';

/** No request may time out while the log is stalled. */
const PATIENCE_MS = 600_000;

/** Keeps only the number of bytes that it gets. */
class CountingLog extends MemoryLog {
  fileBytes = 0;

  constructor() {
    super(4, false);
  }

  override append(
    topic: Topic,
    records: readonly RecordToAppend[],
  ): Promise<readonly RecordPosition[]> {
    for (const { headers, value } of records) {
      if (topic === 'uploads' && headers['type'] === 'chunk') this.fileBytes += value.length;
    }
    return super.append(topic, records);
  }
}

const log = new CountingLog();
let gateway: Gateway;

const commands = {
  async start(): Promise<Target> {
    const limits = { logTimeoutMs: PATIENCE_MS, uploadDeadlineMs: PATIENCE_MS };
    gateway = await startGateway(limits, { log });
    return { port: gateway.port, token: OWNER };
  },
  stall(): void {
    // Collects garbage, so that the memory before is only what is really needed.
    globalThis.gc?.();
    log.stall();
  },
  resume(): void {
    log.resume();
  },
  /** Bytes of files that the log got, acknowledged or not. */
  fileBytes: (): number => log.fileBytes,
};

export type StalledGatewayCommands = typeof commands;

obey(commands);
