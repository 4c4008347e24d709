import { rowsOf, type Page } from './page.js';

export interface AnalystsQuestion {
  readonly question: string;
  readonly sql: string;
  /** Header first, with the dates of the committed samples. */
  readonly result: readonly string[][];
}

/** The queries of the analysts' page that have their result below them. */
export function analystsQuestions(page: Page): AnalystsQuestion[] {
  const found = page.text.matchAll(/^### ([^\n]*)$|^```sql\n(.*?)^```\n\n((?:\|[^\n]*\n)+)/gms);
  const asked: AnalystsQuestion[] = [];
  let question = '';
  for (const [, heading, sql, result] of found) {
    if (heading !== undefined) question = heading;
    else asked.push({ question, sql: sql!, result: rowsOf(result!) });
  }
  return asked;
}
