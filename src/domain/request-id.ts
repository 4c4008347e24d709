const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The milliseconds in a UUIDv7; undefined for another version of UUID. */
export function timeOfUuid(uuid: string): number | undefined {
  if (uuid[14] !== '7') return undefined;
  return parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}
