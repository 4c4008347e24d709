/** A client of the upload API for programs, of Node.js alone. */
export {
  FileTooLargeError,
  NetworkError,
  type ProblemDetails,
  ProblemError,
  UploadClientError,
} from './errors.js';
export { messagesOf } from './reason.js';
export {
  type CallOptions,
  type CreateOptions,
  UploadClient,
  type UploadClientOptions,
} from './upload-client.js';
export { MAX_FILE_BYTES } from '../../domain/upload-limits.js';
export type { FamilyName } from '../../domain/families/index.js';
export type { UploadRequestRecord } from '../../status/transition.js';
