import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiParam } from '@nestjs/swagger';
import * as problem from '../http/problem.js';
import { ApiAnswer } from './api-answer.js';
import { ApiProblems } from './api-problems.js';
import { ApiCall } from './operation.js';
import { FAILED, SUCCEEDED, UPLOADED, UploadRequest } from './upload-request.js';

export const READ_OPERATION = 'readUploadRequest';

const DESCRIPTION = `Tells how far an upload has come. \`succeeded\` and \`failed\` are final. A request
that is older than the service keeps requests is unknown (404). HEAD answers as GET does, without
the body.`;

const PROBLEMS = {
  malformedPath: problem.malformedPath(),
  notAUuid: problem.notAUuid(),
  noToken: problem.noToken(),
  unknownToken: problem.unknownToken(),
  forbidden: problem.forbidden(),
  unknownRequest: problem.unknownRequest(),
  nothingHere: problem.nothingHere(),
  methodNotAllowed: problem.methodNotAllowed('GET, HEAD'),
  tooManyRequests: problem.tooManyRequests('reads', 7),
  internalError: problem.internalError(),
  statusUnavailable: problem.statusUnavailable(),
};

export function ReadOperation(): MethodDecorator {
  return applyDecorators(
    ApiCall({
      operationId: READ_OPERATION,
      summary: "Read an upload request's status",
      description: DESCRIPTION,
    }),
    ApiParam({
      name: 'requestId',
      description: 'The id that the create operation of the same family answered.',
      schema: { type: 'string', format: 'uuid' },
      examples: { known: { value: UPLOADED.requestId } },
    }),
    ApiHeader({
      name: 'Prefer',
      required: false,
      description:
        '`wait=N` (RFC 7240): the answer comes when the request changes its state, or after N seconds, ' +
        'at most 30, with the state by then. What is not understood is ignored.',
      schema: { type: 'string' },
      examples: { wait: { value: 'wait=10' } },
    }),
    ApiAnswer(UploadRequest, {
      status: 200,
      description: 'The request as it is now.',
      headers: {
        'Preference-Applied': {
          description: 'The wait that was honoured; without it the answer came at once.',
          schema: { type: 'string' },
          example: 'wait=10',
        },
      },
      examples: { uploaded: UPLOADED, succeeded: SUCCEEDED, failed: FAILED },
    }),
    ApiProblems(PROBLEMS),
  );
}
