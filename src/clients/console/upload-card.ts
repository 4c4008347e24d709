import type { FamilyName } from '../../domain/families/index.js';
import type { Status } from '../../status/transition.js';
import { button, element, scrollingTable } from './elements.js';
import { type Mistake, shellWord } from './texts.js';

/** What the state's colour means; the words say it too. */
export type Mood = 'busy' | 'good' | 'bad';

const STEPS: readonly (readonly [Status, string])[] = [
  ['uploaded', 'Received'],
  ['validated', 'Valid'],
  ['ingested', 'Stored'],
  ['succeeded', 'Succeeded'],
];

export interface CardAction {
  readonly label: string;
  readonly act: () => void;
  readonly isPrimary?: boolean;
}

/** What the page shows of one file. */
export class UploadCard {
  readonly root: HTMLLIElement;
  private readonly state = element('p', { class: 'state' });
  private readonly detail = element('div', { class: 'detail' });
  private readonly progress: HTMLProgressElement;
  private readonly steps = element('ol', { class: 'steps', hidden: true });
  private readonly buttons = element('p', { class: 'actions' });
  private readonly conversion = element('div', { class: 'conversion' });
  private readonly mistakes = element('div');
  private readonly preview = element('div', { class: 'preview' });

  constructor(
    private readonly fileName: string,
    about: string,
  ) {
    this.progress = element('progress', {
      'aria-label': `Sending ${fileName}`,
      max: '1',
      hidden: true,
    });
    this.root = element(
      'li',
      { class: 'card' },
      element('h3', {}, fileName),
      element('p', { class: 'hint' }, about),
      this.state,
      this.progress,
      this.steps,
      this.detail,
      this.conversion,
      this.mistakes,
      // What comes later stands below: buttons are not to move from under the pointer.
      this.buttons,
      this.preview,
    );
  }

  say(text: string, mood: Mood): void {
    this.state.textContent = text;
    this.state.dataset['mood'] = mood;
  }

  /** More about the state, below it. */
  explain(...lines: readonly (Node | string)[]): void {
    this.detail.replaceChildren(...lines.map((line) => element('p', {}, line)));
  }

  /** What takes a file that is too large for the page. */
  commands(family: FamilyName): (Node | string)[] {
    const command = (name: string): HTMLElement =>
      element('code', {}, `custom-data ${name} ${shellWord(this.fileName)} --family ${family}`);
    return [
      'The command line tool divides files of any size:',
      command('upload'),
      'If a spreadsheet has saved the file, convert it first, and upload what that writes:',
      command('convert'),
    ];
  }

  /** @param fraction of the body that has been sent; undefined: nothing is being sent */
  sent(fraction: number | undefined): void {
    this.progress.hidden = fraction === undefined;
    if (fraction !== undefined) this.progress.value = fraction;
  }

  reached(status: Status): void {
    this.steps.hidden = status === 'failed';
    const at = STEPS.findIndex(([step]) => step === status);
    this.steps.replaceChildren(
      ...STEPS.map(([, name], index) =>
        element(
          'li',
          { class: index <= at ? 'done' : '', ...(index === at && { 'aria-current': 'step' }) },
          name,
          element('span', { class: 'unseen' }, index <= at ? ', done' : ', to come'),
        ),
      ),
    );
  }

  showMistakes(by: string, mistakes: readonly Mistake[]): void {
    const caption = `${by} in ${this.fileName}`;
    const tables = mistakes.length === 0 ? [] : [mistakesTable(caption, mistakes)];
    this.mistakes.replaceChildren(...tables);
  }

  /** How the file would be converted; without content the section is hidden. */
  showConversion(...content: readonly Node[]): void {
    this.replace(this.conversion, content);
  }

  /** What an upload of the file would do; without content the section is hidden. */
  showPreview(...content: readonly Node[]): void {
    this.replace(this.preview, content);
  }

  /** Offers these buttons and no others. */
  offer(actions: readonly CardAction[]): void {
    this.replace(
      this.buttons,
      actions.map(({ label, act, isPrimary }) =>
        button(label, this.fileName, act, isPrimary === true ? 'primary' : ''),
      ),
    );
  }

  /** The focus stays on this card when what had it goes. */
  private replace(box: HTMLElement, content: readonly Node[]): void {
    const hadFocus = box.contains(document.activeElement);
    box.replaceChildren(...content);
    if (!hadFocus) return;
    this.root.tabIndex = -1;
    this.root.focus();
  }
}

/** What is wrong with a file, as a table by row and column. */
export function mistakesTable(caption: string, mistakes: readonly Mistake[]): HTMLElement {
  const rows = mistakes.map(({ row, column, message }) => [
    element('td', { class: 'number' }, row === undefined ? '' : String(row)),
    element('td', {}, column === 'file' ? 'the file' : element('code', {}, column)),
    element('td', {}, message),
  ]);
  return scrollingTable(caption, {}, ['Row', 'Column', 'What is wrong'], rows);
}
