import { messageOf } from '../domain/failure.js';

/** ClickHouse's error codes that this interface raises itself. */
export const CODE = {
  BAD_ARGUMENTS: 36,
  CHECKSUM_DOESNT_MATCH: 40,
  UNKNOWN_FUNCTION: 46,
  NOT_IMPLEMENTED: 48,
  SYNTAX_ERROR: 62,
  UNKNOWN_FORMAT: 73,
  UNKNOWN_DATABASE: 81,
  UNKNOWN_COMPRESSION_METHOD: 89,
  UNKNOWN_SETTING: 115,
  TIMEOUT_EXCEEDED: 159,
  READONLY: 164,
  TOO_MANY_SIMULTANEOUS_QUERIES: 202,
  QUERY_IS_TOO_LARGE: 229,
  CANNOT_DECOMPRESS: 271,
  QUERY_WAS_CANCELLED: 394,
  FUNCTION_NOT_ALLOWED: 446,
  ACCESS_DENIED: 497,
  STD_EXCEPTION: 1001,
} as const;

/** Codes by HTTP status as ClickHouse's server maps them; every other code is a 500. */
const STATUS: readonly (readonly [status: number, codes: readonly number[]])[] = [
  // Cannot be parsed or does not fit: the query has to change.
  [400, [6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321]],
  [400, [376, 427, 441, 675, 676]],
  [403, [497]],
  // Unknown tables, functions, identifiers, types, settings, formats.
  [404, [46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511]],
  [408, [159]],
  [411, [381]],
  [413, [229]],
  [501, [48]],
  [503, [76, 209, 439]],
];

const STATUS_BY_CODE = new Map(
  STATUS.flatMap(([status, codes]) => codes.map((code) => [code, status] as const)),
);

/** By type, what the engine cannot know: the service's own variable. */
const HINTS: Readonly<Record<string, string>> = {
  MEMORY_LIMIT_EXCEEDED: ' The limit of a query is QUERY_MAX_MEMORY_BYTES.',
};

const TEXT = /^(?:Query failed: )?Code: (\d+)\. DB::Exception: (.*) \(([A-Z][A-Z0-9_]+)\)$/s;

/** An error of the engine, or one raised here in the engine's words. */
export class EngineException extends Error {
  override readonly name = 'EngineException';

  constructor(
    /** ClickHouse's error code. */
    readonly code: number,
    /** The code's name, e.g. `SYNTAX_ERROR`. */
    readonly type: string,
    /** The text without code and name. */
    readonly detail: string,
    options?: ErrorOptions,
  ) {
    super(`Code: ${code}. DB::Exception: ${detail} (${type})`, options);
  }

  /** One raised here. */
  static of(type: keyof typeof CODE, detail: string, options?: ErrorOptions): EngineException {
    return new EngineException(CODE[type], type, detail, options);
  }

  /** Anything thrown, as the engine would report it. */
  static from(error: unknown): EngineException {
    if (error instanceof EngineException) return error;
    const message = messageOf(error);
    const found = TEXT.exec(message);
    if (found === null) {
      return EngineException.of('STD_EXCEPTION', message, { cause: error });
    }
    const [, code, detail, type] = found;
    const detailWithHint = unwrapped(detail!) + (HINTS[type!] ?? '');
    return new EngineException(Number(code), type!, detailWithHint, { cause: error });
  }

  get status(): number {
    return STATUS_BY_CODE.get(this.code) ?? 500;
  }

  /** The body that ClickHouse's HTTP server would answer, without the line break at its end. */
  text(version: string): string {
    return `${this.message} (version ${version})`;
  }
}

/** An exception that crossed the engine's client once more repeats its code at both ends. */
function unwrapped(detail: string): string {
  const inner = /^Code: \d+\. DB::Exception: (.*) \([A-Z][A-Z0-9_]+\) \(version [^)]*\)\.?$/s.exec(
    detail,
  );
  return inner === null ? detail : unwrapped(inner[1]!);
}
