import { expect, test } from '@jest/globals';

import { THRESHOLDS } from '../../support/files/files.js';
import { run } from '../../support/service/command.js';

/** The built thread of previews, in a process of its own. */

const SOURCE = `
  import { PreviewThread } from './dist/preview/preview-thread.js';

  const HEADER = 'date,channel,event_category,event_value\\n';
  const today = new Date().toISOString().slice(0, 10);
  const requestDay = Date.parse(today) / 86_400_000;
  const fileOf = (rows) => {
    const lines = Array.from({ length: rows }, (_, at) => \`\${today},Search,M\${at},1\\n\`);
    const text = new TextEncoder().encode(HEADER + lines.join(''));
    // A buffer of its own.
    const parts = [new Uint8Array(text)];
    const facts = { finding: null, requestDay, integratedChannels: [] };
    return { family: 'self-serve', account: 'acme', parts, facts, thresholds };
  };
  const thresholds = ${JSON.stringify(THRESHOLDS)};
  const LARGE = 400_000;
  const neverGivenUp = new AbortController().signal;
  let threads = 0;
  process.on('worker', () => threads++);
  const thread = new PreviewThread();
  // Node tells of a thread in the next turn.
  await new Promise(setImmediate);
  const keysOf = async (rows) => (await thread.check(fileOf(rows), neverGivenUp)).keys;
  const failing = (checking) => checking.then(() => 'checked', ({ message }) => message);
  const said = { threadsBefore: threads, first: await keysOf(1) };

  // One that is checked, and one that waits for it, are given up.
  const [running, waiting] = [fileOf(LARGE), fileOf(2)];
  const giveUp = new AbortController();
  const leave = new AbortController();
  const stopped = failing(thread.check(running, giveUp.signal));
  const left = failing(thread.check(waiting, leave.signal));
  said.moved = running.parts[0].length === 0;
  leave.abort(new Error('left'));
  said.left = await left;
  said.stillThere = waiting.parts[0].length > 0;
  said.threads = threads;
  giveUp.abort(new Error('given up'));
  said.stopped = await stopped;
  said.next = await keysOf(3);
  await thread.close();
  console.log(JSON.stringify(said));
`;

test('one thread starts with the first file; a file that is given up is dropped or stopped', () => {
  const printed = run(process.execPath, ['--input-type=module', '--eval', SOURCE]);
  expect(JSON.parse(printed)).toEqual({
    threadsBefore: 0,
    first: 1,
    moved: true,
    left: 'left',
    stillThere: true,
    threads: 1,
    stopped: 'given up',
    next: 3,
  });
});
