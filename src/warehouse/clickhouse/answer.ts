import { WarehouseError } from '../warehouse.js';
import { failureOf, type StatementKind } from '../failure.js';

/**
 * Errors that a server reports after it has answered 200. It learns of them after its headers are
 * sent, and writes them in place of the result: in a marked block (`__exception__`), as plain text
 * at the end, or as a row with the one field `exception`, by its version.
 */

const EXCEPTION = /Code: (\d+)\. DB::Exception: [^\r]*/;

/**
 * The answer to a statement without a result is empty.
 *
 * @throws WarehouseError
 */
export function expectNothing(body: string, kind: StatementKind): void {
  if (body.trim() !== '') throw lateError(body, kind);
}

/**
 * The rows of a complete `JSONEachRow` answer.
 *
 * @throws WarehouseError
 */
export function rowsOf<Row>(body: string): Row[] {
  const rows: Row[] = [];
  let start = 0;
  while (start < body.length) {
    const newline = body.indexOf('\n', start);
    const end = newline < 0 ? body.length : newline;
    const line = body.slice(start, end);
    if (line.trim() !== '') {
      // An error's text contains line breaks: it takes the whole rest.
      const row = parsed(line);
      if (row === undefined) throw lateError(body.slice(start), 'other');
      rows.push(row as Row);
    }
    start = end + 1;
  }
  return rows;
}

function parsed(line: string): Record<string, unknown> | undefined {
  try {
    const row = JSON.parse(line) as Record<string, unknown>;
    const { exception } = row;
    const isException = Object.keys(row).length === 1 && typeof exception === 'string';
    return isException && EXCEPTION.test(exception) ? undefined : row;
  } catch {
    return undefined;
  }
}

function lateError(text: string, kind: StatementKind): WarehouseError {
  const found = EXCEPTION.exec(text);
  // Not the text, which may be a row that was cut.
  if (found === null) return new WarehouseError('the answer is not what was asked for', 'retry');
  const code = Number(found[1]);
  return new WarehouseError(found[0].trim(), failureOf(code, kind), code);
}
