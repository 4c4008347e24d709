import type { FailureClass } from './warehouse.js';

/** `distributed insert`: a server passes the block on to the servers of a cluster. */
export type StatementKind = 'insert' | 'distributed insert' | 'preview' | 'other';

/**
 * What the engine's error codes say about a statement, in the process or over HTTP.
 *
 * `rejected` are errors of the values of a block, so only inserts have it: for a query the same
 * code means that a part could not be read, which may pass. Errors that every block would meet (an
 * unknown table or column, a type that does not convert, a syntax error) are not among them: they
 * stem from a deployment, so uploads wait until it is corrected instead of failing one by one.
 */
const CLASSES: ReadonlyMap<number, FailureClass> = new Map<number, FailureClass>([
  [241, 'memory'], // MEMORY_LIMIT_EXCEEDED
  [173, 'memory'], // CANNOT_ALLOCATE_MEMORY
  [6, 'rejected'], // CANNOT_PARSE_TEXT
  [9, 'rejected'], // SIZES_OF_COLUMNS_DOESNT_MATCH
  [25, 'rejected'], // CANNOT_PARSE_ESCAPE_SEQUENCE
  [26, 'rejected'], // CANNOT_PARSE_QUOTED_STRING
  [27, 'rejected'], // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  [32, 'rejected'], // ATTEMPT_TO_READ_AFTER_EOF
  [33, 'rejected'], // CANNOT_READ_ALL_DATA
  [38, 'rejected'], // CANNOT_PARSE_DATE
  [41, 'rejected'], // CANNOT_PARSE_DATETIME
  [69, 'rejected'], // ARGUMENT_OUT_OF_BOUND
  [72, 'rejected'], // CANNOT_PARSE_NUMBER
  [117, 'rejected'], // INCORRECT_DATA
  [128, 'rejected'], // TOO_LARGE_ARRAY_SIZE
  [130, 'rejected'], // CANNOT_READ_ARRAY_FROM_TEXT
  [131, 'rejected'], // TOO_LARGE_STRING_SIZE
  [190, 'rejected'], // SIZES_OF_ARRAYS_DONT_MATCH
  [321, 'rejected'], // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  [349, 'rejected'], // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  [376, 'rejected'], // CANNOT_PARSE_UUID
  [467, 'rejected'], // CANNOT_PARSE_BOOL
  [469, 'rejected'], // VIOLATED_CONSTRAINT
]);

/** Of a distributed insert they say that the connection to another server was lost. */
const LOST_CONNECTION: readonly unknown[] = [32, 33];

export function failureOf(code: number | undefined, kind: StatementKind): FailureClass {
  const failure = (code === undefined ? undefined : CLASSES.get(code)) ?? 'retry';
  if (failure !== 'rejected' || kind === 'insert') return failure;
  return kind === 'distributed insert' && !LOST_CONNECTION.includes(code) ? failure : 'retry';
}
