import type { Command } from 'commander';
import { type FamilyName, messagesOf, type UploadRequestRecord } from '../api/index.js';
import { CommandError, type Output, textOfLines } from './terminal.js';
import {
  addServiceOptions,
  connectionOf,
  familyOption,
  type ServiceOptions,
} from './upload/service-options.js';

interface StatusOptions extends ServiceOptions {
  readonly family: FamilyName;
  readonly watch?: true;
}

export function addStatusCommand(program: Command, terminal: Output): void {
  const command = program
    .command('status')
    .description('show an upload request; ends with 1 if it has failed')
    .argument('<id>', 'the requestId')
    .addOption(familyOption())
    .option('--watch', 'show its state as it changes, until it has succeeded or failed');
  addServiceOptions(command).action(async (requestId: string, options: StatusOptions) => {
    const { client } = connectionOf(options, terminal);
    const { family, watch } = options;
    let last: UploadRequestRecord | undefined;
    const records =
      watch === true ? client.watch(family, requestId) : [await client.read(family, requestId)];
    for await (const record of records) {
      terminal.result(record, textOf(record));
      last = record;
    }
    if (last?.status === 'failed') throw new CommandError('the request has failed');
  });
}

/** One line, and those of the reason. */
function textOf(record: UploadRequestRecord): string {
  const { requestId, status, createdAt, updatedAt } = record;
  const lines = [`${requestId}  ${status}  created ${createdAt}  updated ${updatedAt}`];
  for (const [column, messages] of messagesOf(record)) {
    lines.push(`  ${column}`, ...messages.map((message) => `    ${message}`));
  }
  return textOfLines(lines);
}
