import * as problem from '../http/problem.js';
import { answer, problemAnswers } from './answers.js';
import { operation } from './operation.js';
import { FAILED, SUCCEEDED, UPLOADED } from './upload-request.js';

const DESCRIPTION = `Tells how far an upload has come. \`succeeded\` is final, and so is \`failed\`, except
perhaps after a replay by the operators. A request that is older than the service keeps requests is
unknown (404). HEAD answers as GET does, without the body.`;

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

export const READ_OPERATION = operation({
  operationId: 'readUploadRequest',
  summary: "Read an upload request's status",
  description: DESCRIPTION,
  parameters: [
    {
      name: 'requestId',
      in: 'path',
      required: true,
      description: 'The id that the create operation of the same family answered.',
      schema: { type: 'string', format: 'uuid' },
      examples: { known: { value: UPLOADED.requestId } },
    },
    {
      name: 'Prefer',
      in: 'header',
      required: false,
      description:
        '`wait=N` (RFC 7240): the answer comes when the request changes its state, or after N seconds, ' +
        'at most 30, with the state by then. What is not understood is ignored.',
      schema: { type: 'string' },
      examples: { wait: { value: 'wait=10' } },
    },
  ],
  responses: {
    200: answer('UploadRequest', {
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
    ...problemAnswers(PROBLEMS),
  },
});
