/** A file as it is sent, compressed or not. */
export const MAX_FILE_BYTES = 1_048_576;

/** The whole body: the file and 64 KiB for the form around it. */
export const MAX_BODY_BYTES = MAX_FILE_BYTES + 65_536;

/** Of a multipart form (RFC 2046, 5.1.1). */
export const MAX_BOUNDARY_LENGTH = 70;

/** Characters of an `Idempotency-Key`. */
export const MAX_KEY_LENGTH = 255;

/** A cost file after unpacking; the limit of self-serve files is configuration. */
export const MAX_UNPACKED_COST_BYTES = MAX_FILE_BYTES;
