/**
 * Whether a crash journal says that an upload is processed alone. Ingest blames the end of its
 * process on that upload.
 *
 * @param journal the text of `ingest-journal`
 */
export function isAnyAlone(journal: string): boolean {
  const alone = new Set<string>();
  for (const line of journal.split('\n')) {
    if (line.startsWith('*')) alone.add(line.slice(1));
    else alone.delete(line.slice(1));
  }
  return alone.size > 0;
}
