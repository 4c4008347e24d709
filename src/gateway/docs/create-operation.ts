import { MAX_KEY_LENGTH } from '../../domain/upload-limits.js';
import * as problem from '../http/problem.js';
import { answer, header, problemAnswers } from './answers.js';
import { FILE_BODY, FILE_PROBLEMS } from './file-body.js';
import { operation } from './operation.js';
import { READ_OPERATION } from './read-operation.js';
import { SUCCEEDED, UPLOADED } from './upload-request.js';

const DESCRIPTION = `Stores the file durably and answers with a new upload request. The file is processed
after the answer: read the request until its status is \`succeeded\` or \`failed\`.

An upload is applied as a whole or not at all, and one that was applied is replaced by the same rows, so
after a 500, a 503 or a broken connection it is safe to send the same file again. Send files that share overwrite
keys one after another, each after the 201 of the one before: then the last one wins.`;

const KEY_DESCRIPTION = `Of all creates of the account with this key within 24 hours one makes a request; the
others are answered 201 with the record of that request, as it is by then. Choose a new random key for each
file, and keep it as long as you do not know whether the file was taken. After \`failed\`, choose a new one, also
for the same file. The quotes around it are optional.`;

/** What `idempotencyKey` takes: printable ASCII, or a string of RFC 9651. */
const KEY_PATTERN = `^([!#-~]([ -~]{0,${MAX_KEY_LENGTH - 2}}[!-~])?|"([ !#-\\[\\]-~]|\\\\["\\\\]){1,${MAX_KEY_LENGTH}}")$`;

const PROBLEMS = {
  ...FILE_PROBLEMS,
  malformedKey: problem.malformedKey(),
  keyInProgress: problem.keyInProgress(5_000),
  keyReused: problem.keyReused(),
  tooManyRequests: problem.tooManyRequests('uploads', 7),
  uploadNotTaken: problem.uploadNotTaken(),
  tooManyUploads: problem.tooManyUploads(),
};

export const CREATE_OPERATION = operation({
  operationId: 'createUploadRequest',
  summary: 'Create an upload request',
  description: DESCRIPTION,
  parameters: [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: KEY_DESCRIPTION,
      schema: { type: 'string', pattern: KEY_PATTERN },
      examples: { uuid: { value: '"8e03978e-40d5-43dd-bc93-6894a57f9324"' } },
    },
  ],
  requestBody: FILE_BODY,
  responses: {
    201: answer('UploadRequest', {
      description:
        'The file is stored durably and will be processed. It may still turn out invalid. ' +
        'A repeated create with an Idempotency-Key answers with the request of the first.',
      headers: header('Location'),
      links: {
        read: {
          operationId: READ_OPERATION.operationId,
          parameters: {
            family: '$request.path.family',
            requestId: '$response.body#/requestId',
          },
          description: 'Reads how far the upload has come.',
        },
      },
      examples: { uploaded: UPLOADED, repeated: SUCCEEDED },
    }),
    ...problemAnswers(PROBLEMS),
  },
});
