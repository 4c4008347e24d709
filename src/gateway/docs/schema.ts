/** A JSON Schema (2020-12) of the document. */
export type Schema = Readonly<Record<string, unknown>>;

export const TIMESTAMP: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
};

/** Describes objects of the type `T`. They have all properties, except perhaps those in `optional`. */
export function objectOf<T>(
  properties: Readonly<Record<keyof T & string, Schema>>,
  optional: readonly (keyof T)[] = [],
): Schema {
  const names = Object.keys(properties) as (keyof T)[];
  return {
    type: 'object',
    properties,
    required: names.filter((name) => !optional.includes(name)),
  };
}

/** Refers to a schema of the document by its name. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
