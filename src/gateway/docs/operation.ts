import { applyDecorators } from '@nestjs/common';
import {
  ApiIncludeEndpoint,
  ApiOperation,
  type ApiOperationOptions,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { FAMILIES } from '../../domain/families/index.js';

/** What all operations are listed under. */
export const TAG = 'Upload requests';

/** Describes an operation, with the path parameter that names the family. */
export function ApiCall(operation: ApiOperationOptions): MethodDecorator {
  return applyDecorators(
    ApiIncludeEndpoint(),
    ApiTags(TAG),
    ApiOperation(operation),
    ApiParam({
      name: 'family',
      description: 'The upload family: cost data, or metrics that the account names itself.',
      schema: { type: 'string', enum: FAMILIES.map(({ name }) => name) },
      examples: { cost: { value: 'cost' } },
    }),
  );
}
