import type { UploadRequestRecord } from '../../status/transition.js';

/** What was wrong with a failed request, by column: messages such as `row 12: "x" is not …`. */
export function messagesOf({ reason }: UploadRequestRecord): Map<string, readonly string[]> {
  if (reason === null) return new Map();
  return new Map(Object.entries(JSON.parse(reason) as Record<string, readonly string[]>));
}
