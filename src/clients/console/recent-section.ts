import { messageOf } from '../../domain/failure.js';
import { isFinal, type Status } from '../../status/transition.js';
import { announce, byId, element, scrollingTable } from './elements.js';
import type { RecentRequest, RecentRequests } from './recent-requests.js';
import { countText, FAMILY_NAMES, STATUS_TEXTS } from './texts.js';
import type { TokenField } from './token-field.js';
import type { UploadService } from './upload-service.js';

/** The table of the requests that this browser made last. */
export class RecentSection {
  private readonly box = byId('recent', HTMLElement);
  private readonly refresh = byId('refresh', HTMLButtonElement);
  private readonly forget = byId('forget', HTMLButtonElement);
  /** By request id: why its state could not be asked for. */
  private readonly troubles = new Map<string, string>();

  constructor(
    private readonly requests: RecentRequests,
    private readonly service: () => UploadService,
    private readonly token: TokenField,
  ) {
    this.refresh.addEventListener('click', () => void this.ask());
    this.forget.addEventListener('click', () => {
      requests.clear();
      this.show();
      announce('The list is empty');
      byId('recent-heading', HTMLElement).focus();
    });
    // Another tab of the console has sent something.
    addEventListener('storage', () => {
      this.show();
    });
    this.show();
  }

  add(request: RecentRequest): void {
    this.requests.add(request);
    this.show();
  }

  move(requestId: string, status: Status): void {
    this.troubles.delete(requestId);
    this.requests.move(requestId, status);
    this.show();
  }

  private show(): void {
    const all = this.requests.all();
    const isFocused = document.activeElement === this.refresh;
    this.forget.disabled = all.length === 0;
    this.refresh.disabled = all.every(({ status }) => isFinal(status));
    const content = all.length === 0 ? element('p', {}, 'There are none.') : this.table(all);
    this.box.replaceChildren(content);
    if (isFocused && this.refresh.disabled) byId('recent-heading', HTMLElement).focus();
  }

  private table(all: readonly RecentRequest[]): HTMLElement {
    const columns = ['File', 'Kind', 'State', 'Sent (UTC)', 'Request id'];
    const rows = all.map(({ requestId, family, fileName, status, createdAt }) => [
      element('th', { scope: 'row', class: 'name' }, fileName),
      element('td', {}, FAMILY_NAMES[family]),
      element('td', {}, this.troubleOf(requestId, status) ?? STATUS_TEXTS[status]),
      element('td', { class: 'number' }, createdAt.replace('T', ' ')),
      element('td', {}, element('code', {}, requestId)),
    ]);
    return scrollingTable('Recent requests', { class: 'unseen' }, columns, rows);
  }

  /** None of a final state, which another tab may have seen. */
  private troubleOf(requestId: string, status: Status): string | undefined {
    return isFinal(status) ? undefined : this.troubles.get(requestId);
  }

  private async ask(): Promise<void> {
    if (!this.token.demand()) return;
    const open = this.requests.all().filter(({ status }) => !isFinal(status));
    for (const request of open) {
      try {
        const { status } = await this.service().read(request.family, request.requestId);
        this.move(request.requestId, status);
      } catch (error) {
        this.troubles.set(request.requestId, messageOf(error));
      }
    }
    this.show();
    announce(`Asked for ${countText(open.length, 'state')}`);
  }
}
