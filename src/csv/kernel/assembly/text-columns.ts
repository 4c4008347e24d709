import { BrokenRule } from '../codes';
import { report } from './host';
import { ends, starts } from './scanner';
import { TextRule } from './texts';

/** What a column of texts takes; its values are stored with the other texts of their row (`row-texts`). */
@unmanaged
export class TextColumn {
  rule: TextRule = new TextRule();
  mayBeBlank: bool = false;
}

export function newTextColumn(
  kind: i32,
  letters: i32,
  firstLetter: i32,
  mayBeBlank: bool,
): TextColumn {
  const column = new TextColumn();
  column.rule.kind = kind;
  column.rule.letters = letters;
  column.rule.firstLetter = <u8>firstLetter;
  column.mayBeBlank = mayBeBlank;
  return column;
}

/** Where the rule's table of so many bytes is to be written to. */
export function roomForTable(column: TextColumn, bytes: usize): usize {
  const start = column.rule.table.reserve(bytes);
  column.rule.tableEnd = start + bytes;
  return start;
}

/** Checks the values in a field of the block's rows. */
export function checkTexts(column: TextColumn, field: i32, width: i32, rows: i32): void {
  const rowBytes = (<usize>width) << 2;
  let at = (<usize>field) << 2;
  for (let row = 0; row < rows; row++, at += rowBytes) {
    const start = <usize>load<u32>(starts + at);
    const end = <usize>load<u32>(ends + at);
    const broken = start == end ? blank(column) : column.rule.broken(start, end);
    if (broken != BrokenRule.none) report(row, broken);
  }
}

function blank(column: TextColumn): i32 {
  return column.mayBeBlank ? BrokenRule.none : BrokenRule.blank;
}
