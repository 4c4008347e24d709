import busboy from 'busboy';

/** Allowed nowhere in a header. */
const NO_HEADER = Buffer.from([0]);

/** A class inside busboy (1.6.0) that its types leave out. */
interface FormInternals {
  readonly _bparser: {
    /** Gets the bytes before a boundary, if any, and whether the boundary itself was found. */
    _cb: (
      isMatch: boolean,
      data: Buffer | undefined,
      start: number,
      end: number,
      isDataSafe: boolean,
    ) => void;
  };
  /** Null outside a part's header. */
  readonly _hparser: object | null;
  /** The last boundary has been found. */
  readonly _complete: boolean;
}

/**
 * To be called at the start.
 *
 * @throws Error when busboy's inside is not the one that `strictForm` knows
 */
export function checkBusboy(): void {
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  const { _bparser, _hparser, _complete } = busboy({ headers }) as Partial<FormInternals>;
  const isKnown = typeof _bparser?._cb === 'function' && _hparser === null && _complete === false;
  if (!isKnown) throw new Error('this version of busboy is not the one that strict-form.ts mends');
}

/**
 * Busboy, made to always end, and to end the same way however a form is cut into pieces. By itself
 * busboy may wait for the end of a part for ever, by the first two of these:
 *
 * - It goes on with a part's header behind a boundary. Here that is an error of the form.
 * - It begins parts behind the last boundary when they come in one piece with it. Here they are
 *   ignored, as they are when they come later.
 * - It overlooks a boundary that comes in one piece with a lone `\r` or `-` before it. Here it gets
 *   them one after the other.
 *
 * @throws Error when the headers name no boundary
 */
export function strictForm(config: busboy.BusboyConfig): busboy.Busboy {
  const form = busboy(config);
  const internals = form as unknown as FormInternals;
  const search = internals._bparser;
  const tell = search._cb;
  const isComplete = (): boolean => internals._complete;
  search._cb = (isMatch, data, start, end, isDataSafe) => {
    if (isComplete()) return;
    if (data !== undefined) tell(false, data, start, end, isDataSafe);
    if (!isMatch || isComplete()) return;
    tell(true, undefined, 0, 0, true);
    if (internals._hparser !== null) tell(false, NO_HEADER, 0, NO_HEADER.length, true);
  };
  return form;
}
