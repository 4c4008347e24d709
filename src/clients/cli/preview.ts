import type { Command } from 'commander';
import type { FamilyName } from '../../domain/families/index.js';
import { type UploadClient, UploadClientError } from '../api/index.js';
import { type FilePreview, mergedPreview, type PartPreview } from './preview/merged-preview.js';
import { previewText } from './preview/preview-text.js';
import { CommandError, type Output } from './terminal.js';
import { divideFile } from './upload/divide-file.js';
import { type DividedFile, PartStore } from './upload/part-store.js';
import { Progress } from './upload/progress.js';
import {
  addServiceOptions,
  commandError,
  connectionOf,
  familyOption,
  type ServiceOptions,
} from './upload/service-options.js';

interface PreviewOptions extends ServiceOptions {
  readonly family: FamilyName;
}

const HELP = `
Nothing is stored. A file of any size is previewed in the parts in which custom-data upload would send
it, one after the other.

Exit codes: 0 every file is valid, 1 one is not, 2 the command is not understood, 3 the service does
not answer or is busy.`;

export function addPreviewCommand(program: Command, terminal: Output): void {
  const command = program
    .command('preview')
    .description('show what an upload of files would replace, and what may be a mistake')
    .argument('<file...>', 'CSV files, or - for standard input')
    .addOption(familyOption())
    .addHelpText('after', HELP);
  addServiceOptions(command).action(async (paths: string[], options: PreviewOptions) => {
    const { client } = connectionOf(options, terminal);
    const { family } = options;
    const { signal } = new AbortController();
    const store = new PartStore();
    const progress = new Progress(terminal);
    let wrong = 0;
    try {
      for (const [index, path] of paths.entries()) {
        const file = await divideFile(path, index, family, store, progress, terminal, signal);
        const preview = await previewOf(client, family, file, store, progress);
        terminal.result(preview, previewText(preview));
        if (!preview.valid) wrong++;
      }
    } catch (error) {
      throw error instanceof UploadClientError ? commandError(error) : error;
    } finally {
      progress.clear();
      store.close();
    }
    if (wrong > 0) throw new CommandError(`${wrong} of ${paths.length} files are not valid`);
  });
}

/** @throws UploadClientError */
export async function previewOf(
  client: UploadClient,
  family: FamilyName,
  file: DividedFile,
  store: PartStore,
  progress: Progress,
  signal?: AbortSignal,
): Promise<FilePreview> {
  const previews: PartPreview[] = [];
  for (const part of file.parts) {
    progress.bar(previews.length, file.parts.length, `previewing ${file.name}`);
    previews.push({
      preview: await client.preview(family, store.bytes(part), signal && { signal }),
      rowNumbers: store.rowNumbers(part),
    });
  }
  progress.clear();
  return mergedPreview(file, previews);
}
