import type { Command } from 'commander';
import { readConfig } from '../../config/read-config.js';
import { type Cause, type DeadLetter, listDeadLetters } from '../../log/uploads/dead-letter.js';
import { retryDeadLetter } from '../../operator/replay/retry-dead-letter.js';
import { tellAudit } from './audit.js';
import { withLog } from './connections.js';
import { actor } from './actor.js';
import { CommandError, type Output } from './terminal.js';

const NOT_MARKED =
  'the log did not answer: `dead-letter list` may not show that it was brought back; do not do it again\n';

export function addDeadLetterCommands(program: Command, terminal: Output): void {
  const deadLetter = program
    .command('dead-letter')
    .description('uploads that were set aside because they could not be processed');

  deadLetter
    .command('list')
    .description('list the uploads that were set aside')
    .action(async () => {
      const letters = await withLog(readConfig(terminal.env), listDeadLetters);
      terminal.results(
        letters.map(shownOf),
        ['REQUEST', 'ACCOUNT', 'FAMILY', 'SET ASIDE', 'CAUSE', 'RETRIED AS'],
        ({ requestId, account, family, setAsideAt, cause, retriedAs }) => {
          return [requestId, account, family, setAsideAt, cause, retriedAs ?? '-'];
        },
      );
    });

  deadLetter
    .command('retry')
    .description('bring an upload back as a new request, and print the id of that')
    .argument('<request>', 'the id of the request that failed', (id: string) => id.toLowerCase())
    .action(async (requestId: string) => {
      const retried = await withLog(readConfig(terminal.env), async (log) => {
        const letter = (await listDeadLetters(log)).find((each) => each.requestId === requestId);
        if (letter === undefined) throw new CommandError(`no upload ${requestId} was set aside`);
        if (letter.retriedAs !== undefined) {
          throw new CommandError(`${requestId} was brought back already, as ${letter.retriedAs}`);
        }
        const retry = await retryDeadLetter(log, letter, actor());
        if (!retry.isMarked) terminal.hint(NOT_MARKED);
        await tellAudit(log, terminal, 'retry-dead-letter', letter.account, requestId);
        return retry.requestId;
      });
      terminal.result({ requestId: retried }, `${retried}\n`);
    });
}

function shownOf({ requestId, account, family, at, cause, retriedAs }: DeadLetter) {
  return {
    requestId,
    account,
    family,
    setAsideAt: new Date(at).toISOString(),
    cause: causeText(cause),
    retriedAs: retriedAs ?? null,
  };
}

function causeText(cause: Cause): string {
  switch (cause.kind) {
    case 'crash':
      return `ended the process ${cause.deaths} times`;
    case 'exception':
      return `cannot be prepared (${cause.error})`;
    case 'rejected':
      return `rejected by the warehouse (code ${cause.code ?? 'unknown'})`;
  }
}
