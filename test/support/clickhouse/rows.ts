/**
 * The rows of an answer in the format JSONEachRow.
 *
 * @throws Error with the answer's text when the query failed
 */
export async function rowsIn<Row>(answer: Response): Promise<Row[]> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
