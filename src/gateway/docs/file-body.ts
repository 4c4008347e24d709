import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import { FAMILIES } from '../../domain/families/index.js';
import { exampleFile, FILE_DESCRIPTION } from './file-columns.js';

/** Describes the body of a create and of a preview: a form with the file. */
export function ApiFileBody(): MethodDecorator {
  return applyDecorators(
    ApiConsumes('multipart/form-data'),
    ApiBody({
      required: true,
      description:
        'A form with one part. Let the HTTP client set `Content-Type`: it has to name the boundary.',
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary', description: FILE_DESCRIPTION } },
        additionalProperties: false,
      },
      examples: Object.fromEntries(
        FAMILIES.map((family) => [family.name, { value: { file: exampleFile(family) } }]),
      ),
      encoding: { file: { contentType: 'text/csv, application/gzip' } },
    }),
  );
}
