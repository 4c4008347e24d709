/**
 * A strict RFC 4180 reader over a string, as plain as can be: a field is quoted or bare, and behind
 * it comes a comma, a line break or the end.
 *
 * @returns the rows; undefined when the text is anything else
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
