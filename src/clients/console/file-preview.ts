import type { FamilyName } from '../../domain/families/index.js';
import type { Preview } from '../../preview/answer.js';
import { announce, button, element } from './elements.js';
import { previewElements, summaryOf } from './preview-tables.js';
import type { TokenField } from './token-field.js';
import type { UploadCard } from './upload-card.js';
import { textOf, type UploadService, whileBusy } from './upload-service.js';

/** What a preview needs of the page. */
export interface PreviewPage {
  /** With the token that is in its field now. */
  readonly service: UploadService;
  readonly token: TokenField;
  /** Asks once those before have their answers: an account has one preview at a time. */
  queuePreview(ask: () => Promise<void>): void;
}

/** Asks the service what an upload of a file would do, and shows that on the card of the file. */
export class FilePreview {
  private asking: AbortController | undefined;
  /** The edits of the token when it was asked last; undefined: never. */
  private askedAfter: number | undefined;

  /** @param judged gets null when the service is asked, and its reason when it finds mistakes */
  constructor(
    private readonly file: File,
    private readonly family: FamilyName,
    private readonly card: UploadCard,
    private readonly page: PreviewPage,
    private readonly judged: (reason: string | null) => void,
  ) {}

  /**
   * Asks. Asks again only with another token, which may be that of another account.
   *
   * @param content what would be sent
   */
  ask(content: Blob): void {
    const edits = this.page.token.edits;
    if (edits === this.askedAfter) return;
    this.askedAfter = edits;
    this.asking?.abort();
    this.judged(null);
    if (!this.page.token.isUsable) {
      this.say('Paste the API token to see what this file would replace.');
      return;
    }
    const asking = new AbortController();
    this.asking = asking;
    this.say('Asking the service what this file would replace');
    this.page.queuePreview(() => this.answer(content, asking.signal));
  }

  /** The file is sent or removed: the answer is of no use any more. */
  drop(): void {
    this.asking?.abort();
    this.card.showPreview();
  }

  /** Never rejects. */
  private async answer(content: Blob, signal: AbortSignal): Promise<void> {
    const { family, file } = this;
    try {
      const preview = await whileBusy(
        () => this.page.service.preview(family, content, file.name, signal),
        (seconds) => {
          this.say(`The service is busy; asking again in ${seconds} s`);
        },
        signal,
      );
      if (!signal.aborted) this.show(preview);
    } catch (error) {
      // Something else is on the card by now.
      if (signal.aborted) return;
      const text = `What this file would replace is not known. ${textOf(error)}`;
      const again = button('Preview again', file.name, () => {
        this.askedAfter = undefined;
        this.ask(content);
      });
      const actions = element('p', { class: 'actions' }, again);
      this.card.showPreview(element('p', {}, text), actions);
      announce(`${file.name}: ${text}`);
    }
  }

  private show(preview: Preview): void {
    const { card, file, family } = this;
    if (!preview.valid) {
      card.showPreview();
      this.judged(JSON.stringify(preview.reason));
      return;
    }
    card.showPreview(...previewElements(file.name, family, preview));
    announce(`${file.name}: ${summaryOf(preview)}`);
  }

  private say(text: string): void {
    this.card.showPreview(element('p', { class: 'hint' }, text));
  }
}
