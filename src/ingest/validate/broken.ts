/** Which rule a value breaks. */
export const none = 0;
export const blank = 1;
export const whitespace = 2;
export const tooLong = 3;
export const kind = 4;
export const dateRange = 5;
export const dateWindow = 6;
export const integratedChannel = 7;

/** The most code points that a text may have. */
export const MAX_CODE_POINTS = 256;
