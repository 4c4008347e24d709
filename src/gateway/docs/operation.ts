import { FAMILIES } from '../../domain/families/index.js';

/** What all operations are listed under. */
export const TAG = 'Upload requests';

const FAMILY = {
  name: 'family',
  in: 'path',
  required: true,
  description: 'The upload family: cost data, or metrics that the account names itself.',
  schema: { type: 'string', enum: FAMILIES.map(({ name }) => name) },
  examples: { cost: { value: 'cost' } },
};

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<number, object>>;
}

/** An operation on a path that names the family. */
export function operation({
  parameters = [],
  ...rest
}: Operation): Operation & { readonly tags: readonly string[] } {
  return { ...rest, parameters: [FAMILY, ...parameters], tags: [TAG] };
}
