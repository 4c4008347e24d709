/** A client of the upload API for programs, of Node.js alone. */
import type { UploadRequestRecord } from '../../status/transition.js';

export {
  FileTooLargeError,
  NetworkError,
  type ProblemDetails,
  ProblemError,
  UploadClientError,
} from './errors.js';
export {
  type CallOptions,
  type CreateOptions,
  UploadClient,
  type UploadClientOptions,
} from './upload-client.js';
export { MAX_FILE_BYTES } from '../../domain/upload-limits.js';
export type { FamilyName } from '../../domain/families/index.js';
export type { Preview } from '../../preview/answer.js';
export type { UploadRequestRecord };

/** What was wrong with a failed request, by column: messages such as `row 12: "x" is not …`. */
export function messagesOf({ reason }: UploadRequestRecord): Map<string, readonly string[]> {
  if (reason === null) return new Map();
  return new Map(Object.entries(JSON.parse(reason) as Record<string, readonly string[]>));
}
