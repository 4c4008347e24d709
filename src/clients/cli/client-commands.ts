import type { Command } from 'commander';
import { addConvertCommand } from './convert.js';
import { addPreviewCommand } from './preview.js';
import { addStatusCommand } from './status.js';
import type { Output } from './terminal.js';
import { addUploadCommand } from './upload.js';
import { addValidateCommand } from './validate.js';

/** The commands that need nothing but the address of a service, and a token. */
export function addClientCommands(program: Command, output: Output): void {
  addUploadCommand(program, output);
  addValidateCommand(program, output);
  addConvertCommand(program, output);
  addPreviewCommand(program, output);
  addStatusCommand(program, output);
}
