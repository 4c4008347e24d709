import { byId } from './elements.js';

/** What can stand in a header; a token with anything else was not copied whole. */
const TOKEN = /^[\x21-\x7e]+$/;

/** A click that takes the focus from the field is to meet its button, which what is shown then moves. */
const CLICK_MS = 300;

/**
 * The field that holds the token. Only calls and files on their way have it too: storage, cookies and
 * addresses do not.
 */
export class TokenField {
  private readonly input = byId('token', HTMLInputElement);
  private readonly error = byId('token-error', HTMLElement);
  private edited = 0;

  constructor() {
    this.input.addEventListener('input', () => {
      this.edited++;
      this.say('');
    });
  }

  get value(): string {
    return this.input.value.trim();
  }

  /** How often the token has been edited. */
  get edits(): number {
    return this.edited;
  }

  get isUsable(): boolean {
    return TOKEN.test(this.value);
  }

  /** Calls back when a token has been pasted or typed; sometimes twice for the same one. */
  onEntered(act: () => void): void {
    const entered = (): void => {
      if (this.isUsable) act();
    };
    this.input.addEventListener('change', () => setTimeout(entered, CLICK_MS));
    this.input.addEventListener('input', (event) => {
      if (event instanceof InputEvent && event.inputType === 'insertFromPaste') entered();
    });
  }

  /** Whether there is a token; if not, says so and moves the focus to the field. */
  demand(): boolean {
    if (this.isUsable) return true;
    this.say(
      this.value === ''
        ? 'Paste the API token first.'
        : 'This has characters that no API token has. Copy it once more.',
    );
    this.input.focus();
    return false;
  }

  private say(text: string): void {
    this.error.textContent = text;
    if (text === '') this.input.removeAttribute('aria-invalid');
    else this.input.setAttribute('aria-invalid', 'true');
  }
}
