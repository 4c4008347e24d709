import { EngineException } from './exception.js';

/** URL parameters of the protocol that are not settings. */
const PROTOCOL = new Set([
  'query',
  'query_id',
  'database',
  'default_format',
  'client_protocol_version',
  'wait_end_of_query',
  'user',
  'password',
  'quota_key',
  'role',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'stacktrace',
  'buffer_size',
  'compress',
  'decompress',
]);

/**
 * Settings that a reader may choose: how values are written, what a query means and what it may
 * cost. None of them names a file or an address. `output_format_native_` is left out, because the
 * native format is rewritten for clients that ask for a protocol version.
 */
const APPLIED = new Set([
  'aggregate_functions_null_for_empty',
  'bool_false_representation',
  'bool_true_representation',
  'count_distinct_implementation',
  'cross_to_inner_join_rewrite',
  'date_time_output_format',
  'extremes',
  'final',
  'format_csv_delimiter',
  'format_csv_null_representation',
  'format_tsv_null_representation',
  'group_by_use_nulls',
  'interval_output_format',
  'join_use_nulls',
  'limit',
  'max_block_size',
  'max_bytes_to_read',
  'max_result_bytes',
  'max_result_rows',
  'max_rows_to_read',
  'offset',
  'output_format_decimal_trailing_zeros',
  'output_format_float_precision',
  'output_format_parallel_formatting',
  'output_format_trim_fixed_string',
  'output_format_write_statistics',
  'prefer_column_name_to_alias',
  'read_overflow_mode',
  'result_overflow_mode',
  'session_timezone',
  'transform_null_in',
  'union_default_mode',
]);

const APPLIED_FAMILIES = [
  'output_format_arrow_',
  'output_format_binary_',
  'output_format_bson_',
  'output_format_csv_',
  'output_format_json_',
  'output_format_markdown_',
  'output_format_msgpack_',
  'output_format_orc_',
  'output_format_parquet_',
  'output_format_pretty_',
  'output_format_sql_insert_',
  'output_format_tsv_',
  'output_format_values_',
];

/** It may name any function, also one that a query may not call. */
const COUNT_DISTINCT = 'count_distinct_implementation';
const COUNTING = new Set(['uniq', 'uniqCombined', 'uniqCombined64', 'uniqHLL12', 'uniqExact']);

/**
 * The settings among the URL parameters, as arguments of a session. Settings that do not concern a
 * reader are dropped: clients send them unasked, and read-only access would refuse them all.
 *
 * @throws EngineException for a name that the engine does not know, or a value that is not allowed
 */
export function settingsOf(parameters: URLSearchParams, known: ReadonlySet<string>): string[] {
  const settings: string[] = [];
  for (const [name, value] of parameters) {
    if (PROTOCOL.has(name) || name.startsWith('param_')) continue;
    if (!known.has(name)) {
      throw EngineException.of('UNKNOWN_SETTING', `Unknown setting '${name}'.`);
    }
    if (name === COUNT_DISTINCT && !COUNTING.has(value)) {
      throw EngineException.of(
        'BAD_ARGUMENTS',
        `${name} must be one of ${[...COUNTING].join(', ')}.`,
      );
    }
    if (isApplied(name)) settings.push(`--${name}=${value}`);
  }
  return settings;
}

function isApplied(name: string): boolean {
  return APPLIED.has(name) || APPLIED_FAMILIES.some((family) => name.startsWith(family));
}
