import type { FamilyName } from '../../domain/families/index.js';
import type { UploadRequestRecord } from '../../status/transition.js';
import type { CheckAnswer, Checked } from './check-messages.js';
import { announce, download } from './elements.js';
import { type ConversionPage, FileConversion } from './file-conversion.js';
import { FilePreview, type PreviewPage } from './file-preview.js';
import { randomKey } from './random-key.js';
import type { RecentSection } from './recent-section.js';
import { type RequestPage, SentRequest } from './sent-request.js';
import { countText, FAMILY_NAMES, mistakesIn, sizeText, wrongRowsText } from './texts.js';
import { type CardAction, UploadCard } from './upload-card.js';
import { isNotTaken, isRefusal, textOf, type UploadService, whileBusy } from './upload-service.js';

/** What a file needs of the page. */
export interface Page extends PreviewPage, ConversionPage, RequestPage {
  readonly recent: RecentSection;
  /** Sends the file once those before it are answered: of two with the same keys the later wins. */
  queue(upload: Upload): void;
  remove(upload: Upload): void;
  changed(): void;
}

/** One file from its choice to the end of its request. */
export class Upload {
  readonly card: UploadCard;
  /** Whether the check found nothing wrong, and the file is neither queued nor answered. */
  isReady = false;
  /** `isReady` and `valid` before it was queued. */
  private before: [boolean, Checked | undefined] = [false, undefined];
  /** What the check has found if that is nothing wrong, until the file is sent. */
  private valid: Checked | undefined;
  /** What is sent; undefined: the file itself, which could not be checked. */
  private content: Checked | undefined;
  /** With the token by which the file is sent: another one may be that of another account. */
  private service: UploadService;
  private readonly preview: FilePreview;
  private readonly conversion: FileConversion;
  private readonly request: SentRequest;
  private readonly idempotencyKey = randomKey();

  constructor(
    readonly file: File,
    private readonly family: FamilyName,
    private readonly page: Page,
  ) {
    this.card = new UploadCard(file.name, `${FAMILY_NAMES[family]}, ${sizeText(file.size)}`);
    this.service = page.service;
    this.preview = new FilePreview(file, family, this.card, page, this.judged.bind(this));
    this.conversion = new FileConversion(file, family, this.card, page, (answer) => {
      this.showAnswer(answer);
    });
    this.request = new SentRequest(file.name, family, this.card, page, {
      remove: this.removing(),
      annotate: this.annotating.bind(this),
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
    if (this.valid !== undefined) this.preview.ask(this.valid.sent);
  }

  /** Sends the file, if there is a token. */
  enqueue(): void {
    if (!this.page.token.demand()) return;
    this.service = this.page.service;
    this.before = [this.isReady, this.valid];
    this.isReady = false;
    this.valid = undefined;
    this.preview.drop();
    this.conversion.offer(null);
    this.card.say('Waiting to be sent', 'busy');
    this.card.explain();
    this.card.offer([]);
    this.page.queue(this);
  }

  /**
   * Sends the file, which is queued.
   *
   * @returns whether it is known what the service has made of it: a file behind it may be sent
   */
  async send(): Promise<boolean> {
    const { card, file, family, page } = this;
    announce(`Sending ${file.name}`);
    try {
      const record = await this.create();
      const { requestId, status, createdAt } = record;
      page.recent.add({ requestId, family, fileName: file.name, status, createdAt });
      void this.request.follow(record, this.service);
      return true;
    } catch (error) {
      const isKnown = isRefusal(error);
      if (!isKnown) [this.isReady, this.valid] = this.before;
      const text = isNotTaken(error) ? 'Not taken by the service' : 'Perhaps not taken';
      this.notSent(text, textOf(error), 'Send again');
      return isKnown;
    } finally {
      card.sent(undefined);
      page.changed();
    }
  }

  /** Not queued any more, because one before it may have to be sent again. */
  hold(): void {
    [this.isReady, this.valid] = this.before;
    const why = 'The service may not have a file before this one. Send that one again first.';
    this.notSent('Not sent', why, 'Send');
    this.page.changed();
  }

  /** Retries a few times while the service is busy. */
  private create(): Promise<UploadRequestRecord> {
    const { card, conversion, family, idempotencyKey, service } = this;
    const { file } = conversion;
    const { sent: content, isPackedHere } = this.content ?? { sent: file, isPackedHere: false };
    const name = isPackedHere ? `${file.name}.gz` : file.name;
    const onProgress = (fraction: number): void => {
      const rest = fraction < 1 ? `${Math.floor(fraction * 100)} %` : 'waiting for the answer';
      card.say(`Sending: ${rest}`, 'busy');
      card.sent(fraction);
    };
    return whileBusy(
      () => {
        onProgress(0);
        return service.create({ family, content, name, idempotencyKey, onProgress });
      },
      (seconds) => {
        card.say(`The service is busy; trying again in ${seconds} s`, 'busy');
      },
    );
  }

  private notSent(text: string, why: string, label: string): void {
    const { card, file } = this;
    card.say(text, 'bad');
    card.explain(why);
    announce(`${file.name}: ${why}`);
    card.offer([this.sending(label), ...this.conversion.actions(), this.removing()]);
  }

  private showAnswer(answer: CheckAnswer): void {
    if (answer.kind === 'unread') this.showUnread(answer);
    else if (answer.kind === 'checked') this.showChecked(answer);
    this.page.changed();
  }

  private showChecked(checked: Checked): void {
    const { reason, wrongRows, detection } = checked;
    const { conversion } = this;
    conversion.offer(detection);
    if (!conversion.hasFailed) this.content = checked;
    if (reason === null) {
      this.valid = checked;
      this.showValid(checked);
      this.askForPreview();
      return;
    }
    const text = wrongRows > 0 ? wrongRowsText(wrongRows) : 'Not valid';
    const actions = wrongRows > 0 ? [this.annotating(null)] : [];
    if (!conversion.hasFailed) this.showInvalid(text, 'What is wrong', reason, actions);
    else this.showInvalid(`${text} once converted`, 'What would still be wrong', reason, []);
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
      const hasRows = mistakesIn(reason).some(({ row }) => row !== undefined && row > 1);
      const actions = hasRows ? [this.annotating(reason)] : [];
      this.showInvalid('Not valid for the service', 'What the service found', reason, actions);
    } else if (!this.isReady && this.valid !== undefined) this.showValid(this.valid);
    this.page.changed();
  }

  private showInvalid(
    text: string,
    by: string,
    reason: string,
    actions: readonly CardAction[],
  ): void {
    const { card, file } = this;
    card.say(text, 'bad');
    card.explain('The service would refuse this file as a whole. Correct it and choose it again.');
    card.showMistakes(by, mistakesIn(reason));
    card.offer([
      ...this.conversion.actions(),
      ...actions,
      this.sending('Send anyway'),
      this.removing(),
    ]);
    announce(`${file.name}: ${text}`);
  }

  private showUnread({ why, isTooLarge }: Extract<CheckAnswer, { kind: 'unread' }>): void {
    const { card, file, family } = this;
    card.say(isTooLarge ? 'Too large for one request' : 'Not checked', 'bad');
    announce(`${file.name}: ${why}`);
    card.explain(why, ...(isTooLarge ? card.commands(family) : []));
    card.offer([...(isTooLarge ? [] : [this.sending('Send unchecked')]), this.removing()]);
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

  /** @param reason what the service has found besides what the check here finds */
  private annotating(reason: string | null): CardAction {
    const annotate = async (): Promise<void> => {
      const { family, page } = this;
      const { file } = this.conversion;
      const task = { file, family, timeZone: page.timeZone(), annotate: { reason } };
      const { name } = this.file;
      const answer = await page.checker.ask(task);
      if (answer.kind === 'unread') this.card.explain(answer.why);
      if (answer.kind !== 'annotated') return;
      download(answer.csv, `${name.replace(/(\.csv)?(\.gz)?$/i, '')}-wrong-rows.csv`);
      announce(`Downloaded the wrong rows of ${name}`);
    };
    return { label: 'Download the wrong rows', act: () => void annotate() };
  }
}
