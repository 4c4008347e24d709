/**
 * A strict RFC 4180 parser over a string, as simple as possible: a field is quoted or bare, and a
 * comma, a line break or the end follows it.
 *
 * @returns the rows; undefined when the text is invalid
 */
export function parseStrictCsv(text: string): string[][] | undefined {
  if (text === '') return [];
  const field = /"((?:[^"]|"")*)"|[^",\r\n]*/y;
  const separator = /,|\r?\n|$/y;
  const rows: string[][] = [];
  let row: string[] = [];
  let rowStart = 0;
  for (let at = 0; ;) {
    field.lastIndex = at;
    const [raw, quoted] = field.exec(text)! as unknown as [string, string | undefined];
    row.push(quoted === undefined ? raw : quoted.replaceAll('""', '"'));
    separator.lastIndex = at + raw.length;
    const between = separator.exec(text)?.[0];
    if (between === undefined) return undefined;
    const rowEnd = at + raw.length;
    at = rowEnd + between.length;
    if (between === ',') continue;
    const isEmptyLastLine = rowStart === rowEnd && at === text.length;
    if (!isEmptyLastLine) rows.push(row);
    if (at === text.length) return rows;
    row = [];
    rowStart = at;
  }
}
