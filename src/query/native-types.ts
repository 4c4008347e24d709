import { EngineException } from './exception.js';

/** How the values of a type are laid out in a column of the Native format. */
export type Layout =
  | { readonly kind: 'fixed'; readonly bytes: number }
  | { readonly kind: 'string' }
  | { readonly kind: 'nullable' | 'array' | 'lowCardinality'; readonly of: Layout }
  | { readonly kind: 'tuple'; readonly of: readonly Layout[] };

const FIXED: Readonly<Record<string, number>> = {
  Nothing: 1,
  Bool: 1,
  Int8: 1,
  UInt8: 1,
  Enum8: 1,
  Int16: 2,
  UInt16: 2,
  BFloat16: 2,
  Enum16: 2,
  Date: 2,
  Int32: 4,
  UInt32: 4,
  Float32: 4,
  Date32: 4,
  DateTime: 4,
  Time: 4,
  IPv4: 4,
  Int64: 8,
  UInt64: 8,
  Float64: 8,
  DateTime64: 8,
  Time64: 8,
  Int128: 16,
  UInt128: 16,
  UUID: 16,
  IPv6: 16,
  Int256: 32,
  UInt256: 32,
};

const GEO: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
};

/**
 * The layout of a type by its name as the engine writes it.
 *
 * @throws EngineException for types whose layout is not fixed (states of aggregate functions,
 * Variant, Dynamic, JSON)
 */
export function layoutOf(type: string): Layout {
  const bracket = type.indexOf('(');
  const name = bracket < 0 ? type : type.slice(0, bracket);
  const inner = bracket < 0 ? [] : splitArguments(type.slice(bracket + 1, -1));

  if (name === 'String') return { kind: 'string' };
  if (name === 'FixedString') return { kind: 'fixed', bytes: Number(inner[0]) };
  if (name === 'Decimal') return { kind: 'fixed', bytes: decimalBytes(Number(inner[0])) };
  if (name.startsWith('Interval')) return { kind: 'fixed', bytes: 8 };
  if (name === 'Nullable') return { kind: 'nullable', of: layoutOf(inner[0]!) };
  if (name === 'Array') return { kind: 'array', of: layoutOf(inner[0]!) };
  if (name === 'LowCardinality') return { kind: 'lowCardinality', of: layoutOf(inner[0]!) };
  if (name === 'SimpleAggregateFunction') return layoutOf(inner[1]!);
  if (name === 'Tuple') return tupleOf(inner);
  if (name === 'Map' || name === 'Nested') return { kind: 'array', of: tupleOf(inner) };
  const geo = GEO[name];
  if (geo !== undefined) return layoutOf(geo);
  const bytes = FIXED[name];
  if (bytes !== undefined) return { kind: 'fixed', bytes };
  throw EngineException.of(
    'NOT_IMPLEMENTED',
    `Type ${type} is not supported in the Native format of this interface: convert the column.`,
  );
}

function tupleOf(elements: readonly string[]): Layout {
  return { kind: 'tuple', of: elements.map((element) => layoutOf(withoutName(element))) };
}

/** Elements may be named: `Tuple(currency String, …)`. */
function withoutName(element: string): string {
  return /^(?:`(?:[^`\\]|\\.)*`|[A-Za-z_]\w*) +(.+)$/s.exec(element)?.[1] ?? element;
}

function decimalBytes(precision: number): number {
  if (precision <= 9) return 4;
  if (precision <= 18) return 8;
  return precision <= 38 ? 16 : 32;
}

/** Splits at the commas outside of brackets and quotes. */
function splitArguments(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const found of text.matchAll(/'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|[(),]/gs)) {
    const [token] = found;
    if (token === '(') depth++;
    else if (token === ')') depth--;
    else if (token === ',' && depth === 0) {
      parts.push(text.slice(start, found.index).trim());
      start = found.index + 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}
