/** What is wrong with a row's form; `none` is nothing. The first fault of a row is the one kept. */
export const none = 0;
export const strayQuote = 1;
export const textAfterQuote = 2;
export const unclosedQuote = 3;
export const bareCarriageReturn = 4;
