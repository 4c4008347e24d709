import type { FamilyName } from '../../domain/families/index.js';
import type { Status, UploadRequestRecord } from '../../status/transition.js';
import { announce } from './elements.js';
import { mistakesIn, STATUS_TEXTS } from './texts.js';
import type { TokenField } from './token-field.js';
import type { CardAction, UploadCard } from './upload-card.js';
import { textOf, type UploadService } from './upload-service.js';

/** What a request needs of the page. */
export interface RequestPage {
  /** With the token that is in its field now. */
  readonly service: UploadService;
  readonly recent: { move(requestId: string, status: Status): void };
  readonly token: TokenField;
}

/** What the card offers at the end of the request. */
interface Actions {
  readonly remove: CardAction;
  /** @param reason of the failed request */
  annotate(reason: string | null): CardAction;
}

/** The request of a file that the service has taken, on the file's card. */
export class SentRequest {
  constructor(
    private readonly fileName: string,
    private readonly family: FamilyName,
    private readonly card: UploadCard,
    private readonly page: RequestPage,
    private readonly actions: Actions,
  ) {}

  /**
   * Shows the request in its state and in each later one. Never rejects.
   *
   * @param service with the token of the request's account
   */
  async follow(from: UploadRequestRecord, service: UploadService): Promise<void> {
    const { actions, card, family, page } = this;
    let known = from;
    try {
      this.show(known);
      for await (known of service.follow(family, from)) this.show(known);
    } catch (error) {
      card.say('Sent, but its state cannot be read', 'bad');
      card.explain(textOf(error), `Request ${from.requestId}`);
      const again = (): void => {
        if (page.token.demand()) void this.follow(known, page.service);
      };
      card.offer([{ label: 'Ask again', act: again }, actions.remove]);
    }
  }

  private show({ requestId, status, reason }: UploadRequestRecord): void {
    const { actions, card, fileName } = this;
    const text = STATUS_TEXTS[status];
    card.say(text, status === 'failed' ? 'bad' : status === 'succeeded' ? 'good' : 'busy');
    card.explain(`Request ${requestId}`);
    card.reached(status);
    announce(`${fileName}: ${text}`);
    this.page.recent.move(requestId, status);
    if (status === 'failed') {
      card.showMistakes('What the service found', mistakesIn(reason ?? '{}'));
      card.offer([actions.annotate(reason), actions.remove]);
    } else {
      card.showMistakes('', []);
      card.offer(status === 'succeeded' ? [actions.remove] : []);
    }
  }
}
