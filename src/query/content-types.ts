const TEXT = 'text/plain; charset=UTF-8';
const BINARY = 'application/octet-stream';

const FAMILIES: readonly (readonly [prefix: RegExp, contentType: string])[] = [
  [
    /^(?:json\w*eachrow\w*|jsonlines|ndjson|jsonobjecteachrow)$/,
    'application/x-ndjson; charset=UTF-8',
  ],
  [/^json/, 'application/json; charset=UTF-8'],
  [/^csvwithnames/, 'text/csv; charset=UTF-8; header=present'],
  [/^csv/, 'text/csv; charset=UTF-8; header=absent'],
  [/^(?:tsv|tabseparated|tskv)/, 'text/tab-separated-values; charset=UTF-8'],
  [/^(?:md|markdown)$/, 'text/markdown; charset=UTF-8'],
  [/^xml$/, 'application/xml; charset=UTF-8'],
  [/^png$/, 'image/png'],
  [
    /^(?:native|rowbinary|parquet|arrow|orc|avro|msgpack|bson|npy|protobuf|capnproto|buffers|rawblob)/,
    BINARY,
  ],
];

/** The Content-Type of a result in this ClickHouse format, in any case. */
export function contentTypeOf(format: string): string {
  const name = format.toLowerCase();
  return FAMILIES.find(([prefix]) => prefix.test(name))?.[1] ?? TEXT;
}
