import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { FamilyName, UploadRequestRecord } from '../../api/index.js';
import { CommandError, type Terminal } from '../terminal.js';

/** The progress of a part. Not here: its outcome is unknown. Without a record: it was accepted. */
interface PartProgress {
  readonly requestId: string;
  /** The request's last record, `succeeded` or `failed`. */
  readonly record?: UploadRequestRecord;
}

interface State {
  readonly version: 1;
  /** The upload's own; every part's Idempotency-Key is made of it. */
  readonly runId: string;
  readonly parts: Record<string, PartProgress>;
}

/** What tells one upload from another. */
export interface RunIdentity {
  readonly url: string;
  readonly family: FamilyName;
  readonly token: string;
  /** The digests of the files in their order. */
  readonly digests: readonly string[];
}

/**
 * At most so many acceptances are lost when the process is killed; the service is then asked again.
 */
const SAVE_EVERY_MS = 500;

/**
 * The progress of an upload, in a file, so that a second run can continue.
 *
 * It is written before the first part is sent, because of the Idempotency-Keys: a part whose
 * outcome is unknown is sent again with its key.
 */
export class Journal {
  private savedAt = 0;

  private constructor(
    readonly path: string,
    private readonly state: State,
  ) {}

  /** @throws CommandError when there is nothing to resume, or the file cannot be written */
  static open(env: Terminal['env'], identity: RunIdentity, isResumed: boolean): Journal {
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 32);
    const { XDG_STATE_HOME: given = '', HOME: home = homedir() } = env;
    const states = given === '' ? join(home, '.local', 'state') : given;
    const path = join(states, 'custom-data', 'uploads', `${name}.json`);
    const state = isResumed ? read(path) : { version: 1 as const, runId: randomUUID(), parts: {} };
    const journal = new Journal(path, state);
    try {
      mkdirSync(dirname(path), { recursive: true });
      journal.save();
    } catch (error) {
      throw new CommandError(`the state of the upload cannot be kept: ${(error as Error).message}`);
    }
    return journal;
  }

  /**
   * A UUID of the part in this upload.
   *
   * @param bytes of the part as it is sent: another version of Node may pack it differently, and a
   * key stands for the same bytes each time
   */
  idempotencyKey(partId: string, bytes: Uint8Array): string {
    const hash = createHash('sha256').update(`${this.state.runId} ${partId} `).update(bytes);
    const hex = hash.digest('hex');
    return hex.slice(0, 32).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-8$3-8$4-$5');
  }

  get(partId: string): PartProgress | undefined {
    return this.state.parts[partId];
  }

  set(partId: string, progress: PartProgress): void {
    this.state.parts[partId] = progress;
    if (Date.now() - this.savedAt >= SAVE_EVERY_MS) this.save();
  }

  save(): void {
    // Whole or not at all: a cut file could not be resumed from.
    const next = `${this.path}.${process.pid}`;
    writeFileSync(next, JSON.stringify(this.state), { mode: 0o600 });
    renameSync(next, this.path);
    this.savedAt = Date.now();
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

function read(path: string): State {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as State;
  } catch {
    throw new CommandError(
      'there is nothing to resume: no unfinished upload of just these files, to this service, ' +
        'with this token',
      2,
    );
  }
}
