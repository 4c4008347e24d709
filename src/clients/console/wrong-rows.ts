import type { CheckTask } from './check-messages.js';
import type { Checker } from './checker.js';
import { announce, download } from './elements.js';

/**
 * Offers the wrong rows of a file to save.
 *
 * @param fileName under which the user knows the file
 * @returns why they cannot be had; undefined: they can
 */
export async function downloadWrongRows(
  checker: Checker,
  task: CheckTask,
  fileName: string,
): Promise<string | undefined> {
  const answer = await checker.ask(task);
  if (answer.kind !== 'annotated') return answer.kind === 'unread' ? answer.why : '';
  download(answer.csv, `${fileName.replace(/(\.csv)?(\.gz)?$/i, '')}-wrong-rows.csv`);
  announce(`Downloaded the wrong rows of ${fileName}`);
  return undefined;
}
