import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { MAX_KEY_LENGTH } from '../../domain/upload-limits.js';
import * as problem from '../http/problem.js';
import { ApiAnswer } from './api-answer.js';
import { ApiProblems } from './api-problems.js';
import { ApiFileBody, FILE_PROBLEMS } from './file-body.js';
import { describedHeaders } from './headers.js';
import { ApiCall } from './operation.js';
import { READ_OPERATION } from './read-operation.js';
import { SUCCEEDED, UPLOADED, UploadRequest } from './upload-request.js';

const DESCRIPTION = `Stores the file durably and answers with a new upload request. The file is processed
after the answer: read the request until its status is \`succeeded\` or \`failed\`.

An upload is applied as a whole or not at all, and one that was applied is replaced by the same rows, so
after a 503 or a broken connection it is safe to send the same file again. Send files that share overwrite
keys one after another, each after the 201 of the one before: then the last one wins.`;

const KEY_DESCRIPTION = `Of all creates of the account with this key within 24 hours one makes a request; the
others are answered 201 with the record of that request, as it is by then. Choose a new random key for each
file, and keep it when you send the file again. The quotes around it are optional.`;

/** What `idempotencyKey` takes: printable ASCII, or a string of RFC 9651. */
const KEY_PATTERN = `^([!#-~]([ -~]{0,${MAX_KEY_LENGTH - 2}}[!-~])?|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,${MAX_KEY_LENGTH}}")$`;

const PROBLEMS = {
  ...FILE_PROBLEMS,
  malformedKey: problem.malformedKey(),
  keyInProgress: problem.keyInProgress(5_000),
  keyReused: problem.keyReused(),
  tooManyRequests: problem.tooManyRequests('uploads', 7),
  uploadNotTaken: problem.uploadNotTaken(),
};

export function CreateOperation(): MethodDecorator {
  return applyDecorators(
    ApiCall({
      operationId: 'createUploadRequest',
      summary: 'Create an upload request',
      description: DESCRIPTION,
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description: KEY_DESCRIPTION,
      schema: { type: 'string', pattern: KEY_PATTERN },
      examples: { uuid: { value: '"8e03978e-40d5-43dd-bc93-6894a57f9324"' } },
    }),
    ApiFileBody(),
    ApiAnswer(UploadRequest, {
      status: 201,
      description:
        'The file is stored durably and will be processed. It may still turn out invalid. ' +
        'A repeated create with an Idempotency-Key answers with the request of the first.',
      headers: describedHeaders(['Location']),
      links: {
        read: {
          operationId: READ_OPERATION,
          parameters: {
            family: '$request.path.family',
            requestId: '$response.body#/requestId',
          },
          description: 'Reads how far the upload has come.',
        },
      },
      examples: { uploaded: UPLOADED, repeated: SUCCEEDED },
    }),
    ApiProblems(PROBLEMS),
  );
}
