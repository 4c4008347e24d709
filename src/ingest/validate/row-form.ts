import * as ROW_FAULT from '../parse/row-fault.js';

const ROW_FAULTS: Readonly<Record<number, string>> = {
  [ROW_FAULT.strayQuote]: 'a quote stands inside a field that does not begin with one',
  [ROW_FAULT.textAfterQuote]: 'text follows the closing quote of a field',
  [ROW_FAULT.unclosedQuote]: 'a quoted field is not closed',
  [ROW_FAULT.bareCarriageReturn]: 'a carriage return stands without a line feed',
};

/** What a row's fault other than none is, in a message about its row. */
export function faultText(fault: number): string {
  return ROW_FAULTS[fault]!;
}

/** What is wrong with a row of another width than the header, in a message about it. */
export function widthText(fields: number, width: number): string {
  return `has ${fields} field${fields === 1 ? '' : 's'}, the header has ${width}`;
}
