import { PREVIEW_ROUTE, REQUESTS_ROUTE } from '../http/answer.js';
import { SCHEME } from '../http/call.js';
import { PROBLEM_DETAILS } from './answers.js';
import { CREATE_OPERATION } from './create-operation.js';
import { TAG } from './operation.js';
import { PREVIEW_SCHEMAS } from './preview-answer.js';
import { PREVIEW_OPERATION } from './preview-operation.js';
import { READ_OPERATION } from './read-operation.js';
import { UPLOAD_REQUEST } from './upload-request.js';

const DESCRIPTION = `Takes CSV files of cost data and of custom metrics, and tells what became of them.

Paths work with and without the slash at the end. Any answer but 200 and 201 is a problem (RFC 9457), except
400, 408 and 431 without a body to what is not proper HTTP. Nothing was stored then, except perhaps after a
500 or 503. The checks come in this order: path and method, token (401), role (403), rate limit (429), media
type (415), declared size (413), boundary and Idempotency-Key (400), uploads under way (503), the rest.`;

const TOKEN = `\`${SCHEME} <API_TOKEN>\`: the scheme word, which may have any case, one space, and the API
token. The word is part of the value to send, because OpenAPI can name registered schemes only. Tokens come
from the operators of the service; those of the roles owner and in-house marketer may upload and read.`;

/** The OpenAPI document of the gateway's operations. */
export const OPEN_API_DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Custom data upload', description: DESCRIPTION, version: '1.0' },
  servers: [{ url: '/' }],
  tags: [
    {
      name: TAG,
      description: 'Each follows one file until its rows are in reports, or until it is refused.',
    },
  ],
  paths: {
    // The specification writes this path with a slash at the end.
    [`${path(REQUESTS_ROUTE)}/`]: { post: CREATE_OPERATION },
    [`${path(REQUESTS_ROUTE)}/{requestId}`]: { get: READ_OPERATION },
    [path(PREVIEW_ROUTE)]: { post: PREVIEW_OPERATION },
  },
  components: {
    securitySchemes: {
      [SCHEME]: { type: 'apiKey', in: 'header', name: 'Authorization', description: TOKEN },
    },
    schemas: {
      UploadRequest: UPLOAD_REQUEST,
      ProblemDetails: PROBLEM_DETAILS,
      ...PREVIEW_SCHEMAS,
    },
  },
  security: [{ [SCHEME]: [] }],
};

/** A route of Express as the document writes it. */
function path(route: string): string {
  return `/${route.replace(/:(\w+)/g, '{$1}')}`;
}
