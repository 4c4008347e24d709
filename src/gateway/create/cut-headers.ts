import type { Busboy } from 'busboy';

/** Nowhere allowed in a header. */
const NO_HEADER = Buffer.from([0]);

/** Of busboy (1.6.0); its types leave it out. */
interface FormInternals {
  readonly _bparser: {
    /** Is given what lies before a boundary, if anything, and told of the boundary itself. */
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
}

/**
 * Makes a boundary inside a part's header an error of the form. The library goes on with the header
 * behind the boundary, and then may wait for the end of the part for ever.
 */
export function refuseCutHeaders(form: Busboy): void {
  const internals = form as unknown as FormInternals;
  const search = internals._bparser;
  const tell = search._cb;
  search._cb = (isMatch, data, start, end, isDataSafe) => {
    tell(isMatch, data, start, end, isDataSafe);
    if (isMatch && internals._hparser !== null) tell(false, NO_HEADER, 0, NO_HEADER.length, true);
  };
}
