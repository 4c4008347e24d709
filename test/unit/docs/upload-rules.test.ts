import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { Environment } from '../../../src/config/environment.js';
import { MAX_CODE_POINTS } from '../../../src/csv/kernel/codes.js';
import { dayOf } from '../../../src/domain/days.js';
import { COST, FAMILIES, familyNamed, SELF_SERVE } from '../../../src/domain/families/index.js';
import {
  MAX_BODY_BYTES,
  MAX_FILE_BYTES,
  MAX_UNPACKED_COST_BYTES,
} from '../../../src/domain/upload-limits.js';
import { Unpacker } from '../../../src/gateway/create/receive/unpacker.js';
import {
  internalError,
  shuttingDown,
  previewUnavailable,
  statusUnavailable,
  tooSlow,
  uploadNotTaken,
  tooManyUploads,
} from '../../../src/gateway/http/problem.js';
import { prepareUpload, type UploadFacts } from '../../../src/csv/prepare-upload.js';
import type { StepDependencies } from '../../../src/ingest/dependencies.js';
import { Preparation } from '../../../src/ingest/prepare/preparation.js';
import { deadLetter } from '../../../src/ingest/write/fail-upload.js';
import { createLogger } from '../../../src/ops/logger.js';
import { transitionOf, TransitionPublisher } from '../../../src/status/publisher.js';
import {
  form,
  type Part,
  post,
  type ProblemBody,
  uploadHeaders,
} from '../../support/gateway/forms.js';
import { type Gateway, OWNER, startGateway } from '../../support/gateway/gateway.js';
import { MemoryLog } from '../../support/gateway/memory-log.js';
import { code, Page, snippet, snippets } from '../../support/documents/page.js';
import { itemOf } from '../ingest/write/ingesting.js';

const page = new Page('upload-rules.md');
const FACTS: UploadFacts = {
  finding: null,
  requestDay: dayOf('2026-03-09'),
  integratedChannels: ['Search'],
};

function reasonOf(family: 'cost' | 'self-serve', csv: string | Buffer): unknown {
  const verdict = prepareUpload(familyNamed(family), [Buffer.from(csv)], FACTS);
  if (verdict.valid) throw new Error('the file is valid');
  return JSON.parse(verdict.reason);
}

describe('columns', () => {
  test.each([
    ['## Cost columns', COST],
    ['## Self-serve columns', SELF_SERVE],
  ])('%s', (heading, family) => {
    expect(page.tableUnder(heading)).toEqual(
      family.columns.map(({ name, required, kind, role }) => [
        `\`${name}\``,
        required ? 'yes' : 'no',
        `\`${kind}\``,
        role,
      ]),
    );
  });

  test('every kind is explained, and no other', () => {
    const kinds = new Set(FAMILIES.flatMap(({ columns }) => columns.map(({ kind }) => kind)));
    const explained = page.tableUnder('## Kinds of values').map(([kind]) => code(kind!));
    expect(explained.sort()).toEqual([...kinds].sort());
  });

  test('limits', () => {
    const bytes = (count: number): string => `${count.toLocaleString('en')} bytes`;
    const unpacked = new Environment().UPLOAD_MAX_UNPACKED_BYTES;
    expect(page.tableUnder('## The file').map(([, ...limits]) => limits)).toEqual([
      [bytes(MAX_FILE_BYTES), bytes(MAX_FILE_BYTES)],
      [bytes(MAX_UNPACKED_COST_BYTES), `${bytes(unpacked)}, unless set otherwise`],
      [COST.maxRows!.toLocaleString('en'), 'limited only by the bytes'],
      [`${MAX_CODE_POINTS} characters`, `${MAX_CODE_POINTS} characters`],
      ['1970-01-01', `${SELF_SERVE.dateWindowDays!} days before today`],
      ['2149-06-06', 'today'],
    ]);
    expect(page.text).toContain(MAX_BODY_BYTES.toLocaleString('en'));
  });
});

describe('reasons', () => {
  const reasons = [
    snippet('upload-rules.md', 'row 4: has 6 fields'),
    snippet('upload-rules.md', '"Campaign": ['),
    snippet('upload-rules.md', '"event_category": ['),
  ];

  const examples = snippets('upload-rules.md', 'csv').map((csv, i) => [csv, reasons[i]!] as const);

  test.each(examples)('%#', (csv, reason) => {
    const family = csv.includes('event_category') ? 'self-serve' : 'cost';
    const actual = reasonOf(family, csv);
    expect(actual).toEqual(JSON.parse(reason));
    expect(Object.keys(actual as object)).toEqual(Object.keys(JSON.parse(reason) as object));
  });

  test('messages about the file as a whole', async () => {
    const header = 'date,channel,currency,campaign,impressions,clicks,cost\n';
    const row = (campaign: string): string => `2026-03-02,a,EUR,${campaign},1,1,1\n`;
    const files: (string | Buffer)[] = [
      '',
      header,
      header + row('x').repeat(10_001),
      `${header}2026-03-02,a,EUR,x,1,1\n`,
      header + row('5" disc'),
      header + row('"5" disc'),
      header + row('"5'),
      header + row('a\rb'),
      Buffer.from(header + row('ü'), 'latin1'),
      header + row('a\0b'),
    ];
    const packed = gzipSync('x'.repeat(1_000));
    const findings = [
      await findingOf(Buffer.concat([packed.subarray(0, 10), Buffer.alloc(20, 0xff)])),
      await findingOf(packed.subarray(0, -4)),
      await findingOf(Buffer.concat([packed, Buffer.alloc(8)])),
      await findingOf(gzipSync('x'.repeat(MAX_FILE_BYTES + 1))),
    ];
    const messages = [
      ...files.map((file) => (reasonOf('cost', file) as { file: string[] }).file[0]),
      ...findings,
    ];
    const listed = page.tableUnder('Messages about a file as a whole:');
    messages.push(await setAside(), await gone());
    expect(listed.map(([message]) => code(message!))).toEqual(messages);
  });

  test('a channel with cost integration', () => {
    const csv =
      'date,channel,currency,campaign,impressions,clicks,cost\n2026-03-02,Search,EUR,x,1,1,1\n';
    const [message] = (reasonOf('cost', csv) as { channel: string[] }).channel;
    expect(page.text).toContain(`\`${message!}\``);
  });
});

/** The message of a valid upload that becomes a dead letter. */
async function setAside(): Promise<string | null> {
  const log = new MemoryLog(1);
  const { signal } = new AbortController();
  const erased = { covers: () => false };
  const publisher = new TransitionPublisher(log, erased, signal, () => undefined);
  const logger = createLogger('silent');
  const steps = { log, erased, publisher, waits: () => undefined, logger, signal };
  const { upload } = itemOf(1);
  const cause = { kind: 'crash', deaths: 3 } as const;
  await deadLetter(steps as unknown as StepDependencies, upload, cause);
  return fileMessage(transitionOf(log.records('status').at(-1)!.value).reason);
}

/** The message of an upload whose chunks the log has deleted. */
async function gone(): Promise<string | null> {
  const preparer = { threads: 1, run: () => Promise.reject(new Error('there is nothing to do')) };
  const { signal } = new AbortController();
  const preparation = new Preparation(preparer, () => Promise.resolve(undefined), signal);
  const verdict = await preparation.prepare({ ...itemOf(1).upload, parts: undefined });
  return verdict.valid || verdict.error !== undefined ? null : fileMessage(verdict.reason);
}

function fileMessage(reason: string | null): string {
  return (JSON.parse(reason!) as { file: string[] }).file[0]!;
}

async function findingOf(bytes: Buffer): Promise<string | null> {
  const unpacker = new Unpacker(MAX_FILE_BYTES, () => Promise.resolve());
  await unpacker.write(bytes);
  await unpacker.end();
  return unpacker.finding;
}

describe('HTTP answers', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(async () => {
    await gateway.close();
  });

  const listed = page.tableUnder('### Errors').map(([status, , detail]) => ({
    status: Number(status),
    detail: code(detail!),
  }));

  test('every listed one is what the service answers', async () => {
    const creates = `${gateway.url}/cost/requests/`;
    const authorization = { Authorization: `SERVICE-API-KEY ${OWNER}` };
    const file = { content: 'x' };
    const upload = async (...parts: Part[]): Promise<Response> => post(creates, form(...parts));
    const answers = [
      await post(creates, form(file).subarray(0, -10)),
      await upload(),
      await upload(file, file),
      await upload({ ...file, headers: ['Content-Disposition: form-data; name="file"'] }),
      await post(creates, form(file), { ...authorization, 'Content-Type': 'multipart/form-data' }),
      await post(creates, form(file), {
        ...authorization,
        'Content-Type': `multipart/form-data; boundary=${'b'.repeat(71)}`,
      }),
      await fetch(`${creates}%ff`, { headers: authorization }),
      await fetch(`${creates}1`, { headers: authorization }),
      await fetch(creates, { method: 'POST' }),
      await post(creates, form(file), uploadHeaders('nobody')),
      await post(creates, form(file), uploadHeaders('viewer-token')),
      await fetch(`${creates}01a1fbe9-8d12-7e37-8444-47b183ed8e35`, { headers: authorization }),
      await fetch(`${gateway.url}/costs/requests/`, { headers: authorization }),
      await fetch(creates, { headers: authorization }),
      await upload({ content: Buffer.alloc(MAX_FILE_BYTES + 1) }),
      await post(creates, Buffer.from('{}'), { ...authorization, 'Content-Type': 'text/csv' }),
      await post(creates, form(file), { ...uploadHeaders(), 'Content-Encoding': 'gzip' }),
    ];
    const problems = await Promise.all(
      answers.map(async (answer) => (await answer.json()) as ProblemBody),
    );
    const raised = [
      tooSlow(),
      internalError(),
      uploadNotTaken(),
      tooManyUploads(),
      statusUnavailable(),
      previewUnavailable(),
      shuttingDown(),
    ];
    const actual = [...problems, ...raised].map(({ status, detail }) => ({ status, detail }));
    const order = (a: { detail: string }, b: { detail: string }): number =>
      a.detail < b.detail ? -1 : 1;
    expect([...listed].sort(order)).toEqual(actual.sort(order));
  });

  test('the problem that is shown whole is real', async () => {
    const shown = snippet('upload-rules.md', 'about:blank');
    const answer = await fetch(
      `${gateway.url}/cost/requests/01a1fbe9-8d12-7e37-8444-47b183ed8e35`,
      { headers: { Authorization: `SERVICE-API-KEY ${OWNER}` } },
    );
    expect(await answer.json()).toEqual(JSON.parse(shown));
  });
});
