import { ProblemError, UploadClientError } from '../api/errors.js';
import { messageOf } from '../../domain/failure.js';
import type { FamilyName } from '../../domain/families/index.js';
import { sleep } from '../../domain/retry.js';
import type { UploadRequestRecord } from '../../status/transition.js';
import type { CheckAnswer } from './check-messages.js';
import type { Checker } from './checker.js';
import { announce, download, element } from './elements.js';
import type { RecentSection } from './recent-section.js';
import { countText, FAMILY_NAMES, mistakesIn, shellWord, sizeText, STATUS_TEXTS } from './texts.js';
import { UploadCard } from './upload-card.js';
import { retryAfterMs, type UploadService } from './upload-service.js';

const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/** What a file needs of the page. */
export interface Page {
  readonly checker: Checker;
  readonly service: UploadService;
  readonly recent: RecentSection;
  /** Whether there is a token; if not, the user is told. */
  demandToken(): boolean;
  /** The account's, by its IANA name. */
  timeZone(): string;
  /** Sends the file once those before it are accepted: of two with the same keys the later wins. */
  queue(upload: Upload): void;
  remove(upload: Upload): void;
  changed(): void;
}

/** One file from its choice to the end of its request. */
export class Upload {
  readonly card: UploadCard;
  /** Whether the check found nothing wrong, and nobody has sent it yet. */
  isReady = false;
  private content: Blob | undefined;
  private reason: string | null = null;
  private readonly idempotencyKey = randomKey();

  constructor(
    readonly file: File,
    private readonly family: FamilyName,
    private readonly page: Page,
  ) {
    this.card = new UploadCard(file.name, `${FAMILY_NAMES[family]}, ${sizeText(file.size)}`);
  }

  /** Judges the file here, by the rules of the service. */
  async check(): Promise<void> {
    const { card, file, family, page } = this;
    card.say('Being checked here', 'busy');
    const answer = await page.checker.ask({ file, family, timeZone: page.timeZone() });
    if (answer.kind === 'unread') this.showUnread(answer);
    else if (answer.kind === 'checked') this.showChecked(answer);
    page.changed();
  }

  /** Sends the file, if there is a token. */
  enqueue(): void {
    if (!this.page.demandToken()) return;
    this.isReady = false;
    this.card.say('Waiting to be sent', 'busy');
    this.card.explain();
    this.card.offer([]);
    this.page.queue(this);
  }

  /** Resolves once the service has accepted or refused the file. */
  async send(): Promise<void> {
    const { card, file } = this;
    announce(`Sending ${file.name}`);
    try {
      const record = await this.create();
      this.show(record);
      void this.follow(record);
    } catch (error) {
      this.refused(error);
    } finally {
      card.sent(undefined);
      this.page.changed();
    }
  }

  /** Retries a few times while the service is busy. */
  private async create(): Promise<UploadRequestRecord> {
    const { card, file, family, idempotencyKey, content = file } = this;
    const name = content === file ? file.name : `${file.name}.gz`;
    const onProgress = (fraction: number): void => {
      const rest = fraction < 1 ? `${Math.floor(fraction * 100)} %` : 'waiting for the answer';
      card.say(`Sending: ${rest}`, 'busy');
      card.sent(fraction);
    };
    for (let attempt = 1; ; attempt++) {
      onProgress(0);
      try {
        return await this.page.service.create({
          family,
          content,
          name,
          idempotencyKey,
          onProgress,
        });
      } catch (error) {
        const isBusy = error instanceof ProblemError && error.isPassing;
        if (!isBusy || attempt === ATTEMPTS) throw error;
        const pause = Math.max(PAUSE_MS, retryAfterMs(error));
        card.say(`The service is busy; trying again in ${Math.ceil(pause / 1000)} s`, 'busy');
        await sleep(pause);
      }
    }
  }

  private async follow(created: UploadRequestRecord): Promise<void> {
    try {
      for await (const record of this.page.service.follow(this.family, created)) this.show(record);
    } catch (error) {
      this.card.say('Sent, but its state cannot be read', 'bad');
      this.card.explain(textOf(error), `Request ${created.requestId}`);
      const again = (): void => {
        if (!this.page.demandToken()) return;
        this.show(created);
        void this.follow(created);
      };
      this.card.offer([{ label: 'Ask again', act: again }, this.removing()]);
    }
  }

  private show(record: UploadRequestRecord): void {
    const { card, file, family } = this;
    const { requestId, status, createdAt, reason } = record;
    const text = STATUS_TEXTS[status];
    card.say(text, status === 'failed' ? 'bad' : status === 'succeeded' ? 'good' : 'busy');
    card.explain(`Request ${requestId}`);
    card.reached(status);
    announce(`${file.name}: ${text}`);
    this.page.recent.put({ requestId, family, fileName: file.name, status, createdAt });
    if (status !== 'failed') {
      card.showMistakes('', []);
      card.offer(status === 'succeeded' ? [this.removing()] : []);
      return;
    }
    this.reason = reason;
    card.showMistakes('What the service found', mistakesIn(reason ?? '{}'));
    card.offer([this.annotating(), this.removing()]);
  }

  private refused(error: unknown): void {
    this.card.say('Not taken by the service', 'bad');
    this.card.explain(textOf(error));
    announce(`${this.file.name}: ${textOf(error)}`);
    this.card.offer([this.sending('Send again'), this.removing()]);
  }

  private showChecked(answer: Extract<CheckAnswer, { kind: 'checked' }>): void {
    const { card, file } = this;
    const { reason, rows, wrongRows, sent, isPackedHere } = answer;
    this.content = isPackedHere ? sent : undefined;
    if (reason === null) {
      this.isReady = true;
      const text = `Valid: ${countText(rows, 'row')}`;
      card.say(text, 'good');
      if (isPackedHere) card.explain(`It will be sent as gzip, ${sizeText(sent.size)}.`);
      card.offer([this.sending('Send'), this.removing()]);
      announce(`${file.name}: ${text}`);
      return;
    }
    const text = wrongRows > 0 ? countText(wrongRows, 'wrong row') : 'Not valid';
    card.say(text, 'bad');
    card.explain('The service would refuse this file as a whole. Correct it and choose it again.');
    card.showMistakes('What is wrong', mistakesIn(reason));
    card.offer([
      ...(wrongRows > 0 ? [this.annotating()] : []),
      this.sending('Send all the same'),
      this.removing(),
    ]);
    announce(`${file.name}: ${text}`);
  }

  private showUnread({ why, isTooLarge }: Extract<CheckAnswer, { kind: 'unread' }>): void {
    const { card, file, family } = this;
    card.say(isTooLarge ? 'Too large for one request' : 'Not checked', 'bad');
    announce(`${file.name}: ${why}`);
    if (!isTooLarge) {
      card.explain(why);
      card.offer([this.sending('Send unchecked'), this.removing()]);
      return;
    }
    const command = element(
      'code',
      {},
      `custom-data upload ${shellWord(file.name)} --family ${family}`,
    );
    card.explain(why, 'The command line tool divides files of any size:', command);
    card.offer([this.removing()]);
  }

  private sending(label: string) {
    const act = (): void => {
      this.enqueue();
    };
    return { label, act, isPrimary: label === 'Send' };
  }

  private removing() {
    const act = (): void => {
      this.page.remove(this);
    };
    return { label: 'Remove', act };
  }

  private annotating() {
    return { label: 'Download the wrong rows', act: () => void this.annotate() };
  }

  private async annotate(): Promise<void> {
    const { file, family, reason, page } = this;
    const task = { file, family, timeZone: page.timeZone(), annotate: { reason } };
    const answer = await page.checker.ask(task);
    if (answer.kind !== 'annotated') {
      this.card.explain(answer.kind === 'unread' ? answer.why : '');
      return;
    }
    download(answer.csv, `${file.name.replace(/(\.csv)?(\.gz)?$/i, '')}-wrong-rows.csv`);
    announce(`Downloaded the wrong rows of ${file.name}`);
  }
}

function textOf(error: unknown): string {
  if (error instanceof UploadClientError) return error.message;
  return `This page failed: ${messageOf(error)}`;
}

/** 128 random bits; `crypto.randomUUID` exists on pages behind TLS alone. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
