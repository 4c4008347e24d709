import { ApiParam } from '@nestjs/swagger';
import { FAMILIES } from '../../domain/families/index.js';

/** What both operations are listed under. */
export const TAG = 'Upload requests';

/** Describes the path parameter that names the family. */
export function ApiFamily(): MethodDecorator {
  return ApiParam({
    name: 'family',
    description: 'The upload family: cost data, or metrics that the account names itself.',
    schema: { type: 'string', enum: FAMILIES.map(({ name }) => name) },
    examples: { cost: { value: 'cost' } },
  });
}
