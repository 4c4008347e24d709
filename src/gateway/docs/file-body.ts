import { FAMILIES } from '../../domain/families/index.js';
import * as problem from '../http/problem.js';
import { exampleFile, FILE_DESCRIPTION } from './file-columns.js';

/** The body of a create and of a preview: a form with the file. */
export const FILE_BODY = {
  required: true,
  description:
    'A form with one part. Let the HTTP client set `Content-Type`: it has to name the boundary.',
  content: {
    'multipart/form-data': {
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
    },
  },
};

/** The problems of a call with a file, be it a create or a preview. */
export const FILE_PROBLEMS = {
  malformedPath: problem.malformedPath(),
  noBoundary: problem.noBoundary(),
  boundaryTooLong: problem.boundaryTooLong(),
  malformedContentType: problem.malformedContentType(),
  malformedForm: problem.malformedForm(),
  noFile: problem.noFile(),
  noFilename: problem.noFilename(),
  otherParts: problem.otherParts(),
  noToken: problem.noToken(),
  unknownToken: problem.unknownToken(),
  forbidden: problem.forbidden(),
  nothingHere: problem.nothingHere(),
  methodNotAllowed: problem.methodNotAllowed('POST'),
  tooSlow: problem.tooSlow(),
  tooLarge: problem.tooLarge(),
  notMultipart: problem.notMultipart(),
  contentCoded: problem.contentCoded(),
  internalError: problem.internalError(),
  shuttingDown: problem.shuttingDown(),
};
