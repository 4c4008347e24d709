import type { FamilyName } from '../../domain/families/index.js';
import type { UploadRequestRecord } from '../../status/transition.js';
import type { CheckAnswer, Checked } from './check-messages.js';
import { announce } from './elements.js';
import { type ConversionPage, FileConversion } from './file-conversion.js';
import { FilePreview, type PreviewPage } from './file-preview.js';
import { randomKey } from './random-key.js';
import type { RecentSection } from './recent-section.js';
import { countText, FAMILY_NAMES, mistakesIn, sizeText, STATUS_TEXTS } from './texts.js';
import { UploadCard } from './upload-card.js';
import { textOf, whileBusy } from './upload-service.js';
import { downloadWrongRows } from './wrong-rows.js';

/** What a file needs of the page. */
export interface Page extends PreviewPage, ConversionPage {
  readonly recent: RecentSection;
  /** Whether there is a token; if not, the user is told. */
  demandToken(): boolean;
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
  /** What the check has found if that is nothing wrong, until the file is sent. */
  private valid: Checked | undefined;
  private content: Blob | undefined;
  private reason: string | null = null;
  private readonly preview: FilePreview;
  private readonly conversion: FileConversion;
  private readonly idempotencyKey = randomKey();

  constructor(
    readonly file: File,
    private readonly family: FamilyName,
    private readonly page: Page,
  ) {
    this.card = new UploadCard(file.name, `${FAMILY_NAMES[family]}, ${sizeText(file.size)}`);
    this.preview = new FilePreview(file, family, this.card, page, this.judged.bind(this));
    this.conversion = new FileConversion(file, family, this.card, page, (answer) => {
      this.showAnswer(answer);
    });
  }

  /** Judges the file here, by the rules of the service. */
  async check(): Promise<void> {
    const { card, file, family, page } = this;
    card.say('Being checked here', 'busy');
    this.showAnswer(await page.checker.ask({ file, family, timeZone: page.timeZone() }));
  }

  /** Asks the service what the file would do, if the check here has found nothing wrong. */
  askForPreview(): void {
    if (this.valid !== undefined) this.preview.ask(this.content ?? this.conversion.file);
  }

  /** Sends the file, if there is a token. */
  enqueue(): void {
    if (!this.page.demandToken()) return;
    this.isReady = false;
    this.valid = undefined;
    this.preview.drop();
    this.conversion.offer(null);
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
  private create(): Promise<UploadRequestRecord> {
    const { card, conversion, family, idempotencyKey } = this;
    const { file } = conversion;
    const content = this.content ?? file;
    const name = content === file ? file.name : `${file.name}.gz`;
    const onProgress = (fraction: number): void => {
      const rest = fraction < 1 ? `${Math.floor(fraction * 100)} %` : 'waiting for the answer';
      card.say(`Sending: ${rest}`, 'busy');
      card.sent(fraction);
    };
    return whileBusy(
      () => {
        onProgress(0);
        return this.page.service.create({ family, content, name, idempotencyKey, onProgress });
      },
      (seconds) => {
        card.say(`The service is busy; trying again in ${seconds} s`, 'busy');
      },
    );
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

  private showAnswer(answer: CheckAnswer): void {
    if (answer.kind === 'unread') this.showUnread(answer);
    else if (answer.kind === 'checked') this.showChecked(answer);
    this.page.changed();
  }

  private showChecked(checked: Checked): void {
    const { reason, wrongRows, sent, isPackedHere, detection } = checked;
    const { conversion } = this;
    conversion.offer(detection);
    if (!conversion.hasFailed) this.content = isPackedHere ? sent : undefined;
    if (reason === null) {
      this.valid = checked;
      this.showValid(checked);
      this.askForPreview();
      return;
    }
    const text = wrongRows > 0 ? countText(wrongRows, 'wrong row') : 'Not valid';
    if (!conversion.hasFailed) this.showInvalid(text, 'What is wrong', reason, wrongRows > 0);
    else this.showInvalid(`${text} once converted`, 'What would still be wrong', reason, false);
  }

  private showValid({ rows, sent, isPackedHere }: Checked): void {
    const { card, file, conversion } = this;
    this.isReady = true;
    const text = `Valid: ${countText(rows, 'row')}`;
    card.say(text, 'good');
    const packed = isPackedHere ? [`It will be sent as gzip, ${sizeText(sent.size)}.`] : [];
    card.explain(...conversion.notes(), ...packed);
    card.showMistakes('', []);
    card.offer([this.sending('Send'), ...conversion.actions(), this.removing()]);
    announce(`${file.name}: ${text}`);
  }

  /** The check here has found nothing wrong, but the service knows more; null: it is asked now. */
  private judged(reason: string | null): void {
    if (reason !== null) {
      this.isReady = false;
      this.reason = reason;
      const hasRows = mistakesIn(reason).some(({ row }) => row !== undefined && row > 1);
      this.showInvalid('Not valid for the service', 'What the service found', reason, hasRows);
    } else if (!this.isReady && this.valid !== undefined) this.showValid(this.valid);
    this.page.changed();
  }

  private showInvalid(text: string, by: string, reason: string, hasRows: boolean): void {
    const { card, file } = this;
    card.say(text, 'bad');
    card.explain('The service would refuse this file as a whole. Correct it and choose it again.');
    card.showMistakes(by, mistakesIn(reason));
    card.offer([
      ...this.conversion.actions(),
      ...(hasRows ? [this.annotating()] : []),
      this.sending('Send anyway'),
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
    card.explain(why, ...card.commands(family));
    card.offer([this.removing()]);
  }

  private sending(label: string) {
    return { label, act: this.enqueue.bind(this), isPrimary: label === 'Send' };
  }

  private removing() {
    const act = (): void => {
      this.preview.drop();
      this.page.remove(this);
    };
    return { label: 'Remove', act };
  }

  private annotating() {
    const annotate = async (): Promise<void> => {
      const { family, reason, page } = this;
      const { file } = this.conversion;
      const task = { file, family, timeZone: page.timeZone(), annotate: { reason } };
      const why = await downloadWrongRows(page.checker, task, this.file.name);
      if (why !== undefined) this.card.explain(why);
    };
    return { label: 'Download the wrong rows', act: () => void annotate() };
  }
}
