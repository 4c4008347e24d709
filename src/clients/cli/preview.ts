import type { Command } from 'commander';
import type { FamilyName } from '../../domain/families/index.js';
import type { UploadClient } from '../api/index.js';
import { malformedPreview, mergedPreview, type PartPreview } from './preview/merged-preview.js';
import { previewText } from './preview/preview-text.js';
import { CommandError, type Output } from './terminal.js';
import { divideFiles, type MalformedFile } from './upload/divide-file.js';
import { type DividedFile, PartStore } from './upload/part-store.js';
import { Progress } from './upload/progress.js';
import {
  addServiceOptions,
  connectionOf,
  familyOption,
  type ServiceOptions,
} from './upload/service-options.js';

interface PreviewOptions extends ServiceOptions {
  readonly family: FamilyName;
  readonly yes?: true;
}

/** More previews take so long that a person is asked first. */
const MANY_PARTS = 20;

const HELP = `
Nothing is stored. A file of any size is previewed in the parts in which custom-data upload would send
it, one after the other. Above ${MANY_PARTS} parts you are asked first.

Exit codes: 0 every file is valid, 1 one is not, 2 the command is not understood or has to ask and
cannot, 3 the service does not answer or is busy, 130 interrupted.`;

export function addPreviewCommand(program: Command, terminal: Output): void {
  const command = program
    .command('preview')
    .description('show what an upload of files would replace, and what may be a mistake')
    .argument('<file...>', 'CSV files, or - for standard input')
    .addOption(familyOption())
    .option('--yes', 'do not ask')
    .addHelpText('after', HELP);
  addServiceOptions(command).action(async (paths: string[], options: PreviewOptions) => {
    const { client } = connectionOf(options, terminal);
    const { family, yes } = options;
    const { signal } = new AbortController();
    const store = new PartStore();
    const progress = new Progress(terminal);
    try {
      const refused = (file: MalformedFile): CommandError => {
        const preview = malformedPreview(file);
        terminal.result(preview, previewText(preview));
        return new CommandError(`${file.name} is not well-formed`);
      };
      const files = await divideFiles(paths, family, store, progress, refused, signal);
      const ask = asking(terminal, yes === true);
      const wrong = await showPreviews(client, family, files, store, progress, terminal, ask);
      if (wrong > 0) throw new CommandError(`${wrong} of ${files.length} files are not valid`);
    } finally {
      progress.clear();
      store.close();
    }
  });
}

/** Asks whether to go on. Throws CommandError when nobody can be asked, or the answer is no. */
export type Ask = (question: string) => Promise<void>;

/**
 * @param yes answers every question
 * @param refusal what the command says when the answer is no
 */
export function asking(terminal: Output, yes: boolean, refusal = 'nothing was sent'): Ask {
  return async (question) => {
    if (yes) return;
    if (terminal.ask === undefined) {
      throw new CommandError('there is nobody to ask: give --yes to go on', 2);
    }
    const answer = await terminal.ask(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer)) throw new CommandError(refusal);
  };
}

/**
 * Prints the previews of files.
 *
 * @returns how many files are not valid
 * @throws UploadClientError, and what `ask` throws
 */
export async function showPreviews(
  client: UploadClient,
  family: FamilyName,
  files: readonly DividedFile[],
  store: PartStore,
  progress: Progress,
  terminal: Output,
  ask: Ask,
  signal?: AbortSignal,
): Promise<number> {
  const parts = files.reduce((sum, file) => sum + file.parts.length, 0);
  if (parts > MANY_PARTS) await ask(`The preview takes ${parts} requests. Go on?`);
  let wrong = 0;
  for (const file of files) {
    const previews: PartPreview[] = [];
    for (const part of file.parts) {
      progress.bar(previews.length, file.parts.length, `previewing ${file.name}`);
      previews.push({
        preview: await client.preview(family, store.bytes(part), signal && { signal }),
        rowNumbers: store.rowNumbers(part),
      });
    }
    progress.clear();
    const preview = mergedPreview(file, previews);
    terminal.result(preview, previewText(preview));
    if (!preview.valid) wrong++;
  }
  return wrong;
}
