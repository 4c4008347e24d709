import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import * as fc from 'fast-check';

import { Environment } from '../../../src/config/environment.js';
import { dayOf } from '../../../src/domain/days.js';
import { FAMILIES } from '../../../src/domain/families/index.js';
import { STATUSES } from '../../../src/status/transition.js';
import { MAX_FILE_BYTES } from '../../../src/domain/upload-limits.js';
import { RULES } from '../../../src/gateway/docs/file-columns.js';
import { idempotencyKey } from '../../../src/gateway/create/admission.js';
import * as problems from '../../../src/gateway/http/problem.js';
import { prepareUpload } from '../../../src/csv/prepare-upload.js';
import { code, Page, rowsOf } from '../../support/documents/page.js';
import { form, post, uploadHeaders } from '../../support/gateway/forms.js';
import { type Gateway, OWNER, startGateway } from '../../support/gateway/gateway.js';

type Named<T> = Readonly<Record<string, T>>;

interface Schema {
  readonly description: string;
  readonly enum: readonly unknown[];
  readonly pattern: string;
  readonly properties: Named<Schema>;
  readonly required: readonly string[];
}
interface Content<T> {
  readonly schema: Schema;
  readonly examples: Named<{ readonly value: T }>;
}
interface Operation {
  readonly parameters: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody: { readonly content: Named<Content<{ readonly file: string }>> };
  readonly responses: Named<{
    readonly headers: Named<{ readonly required?: boolean }>;
    readonly content: Named<Content<problems.ProblemBody>>;
  }>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Named<Named<Operation>>;
  readonly components: { readonly schemas: Named<Schema> };
}

const CREATE = '/custom-data-upload/v1.0/{family}/requests/';
const PREVIEW = '/custom-data-preview/v1.0/{family}';
const READ = '/custom-data-upload/v1.0/{family}/requests/{requestId}';

let gateway: Gateway;
let origin: string;
let text: string;
let document: Document;
let create: Operation;
let read: Operation;
let preview: Operation;

beforeAll(async () => {
  gateway = await startGateway({ uploadsPerMinute: 100, readsPerMinute: 100 });
  origin = `http://127.0.0.1:${gateway.port}`;
  text = await (await fetch(`${origin}/docs/openapi.json`)).text();
  document = JSON.parse(text) as Document;
  create = document.paths[CREATE]!['post']!;
  read = document.paths[READ]!['get']!;
  preview = document.paths[PREVIEW]!['post']!;
});
afterAll(async () => {
  await gateway.close();
});

describe('the document', () => {
  test('passes the linter', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        // The specification writes the create operation with a final slash.
        'no-path-trailing-slash': 'off',
        // The service is not published.
        'info-license': 'off',
      },
    });
    const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(found.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  test('is of OpenAPI 3.1 and has the three operations, and no other', () => {
    expect(document.openapi).toBe('3.1.0');
    const methods = Object.entries(document.paths).map(([path, item]) => [path, Object.keys(item)]);
    expect(methods.sort()).toEqual([
      [PREVIEW, ['post']],
      [CREATE, ['post']],
      [READ, ['get']],
    ]);
  });

  test('has the record as it is answered, and its statuses', async () => {
    const answer = await post(`${gateway.url}/cost/requests/`, form({ content: 'x' }));
    const { properties, required } = document.components.schemas['UploadRequest']!;
    const names = Object.keys((await answer.json()) as object);
    expect(Object.keys(properties)).toEqual(names);
    expect(required).toEqual(names);
    expect(properties['status']!.enum).toEqual(STATUSES);
    expect(properties['prevStatus']!.enum).toEqual([...STATUSES, null]);
  });

  test('has every answer with its headers', async () => {
    const url = `${gateway.url}/cost/requests/`;
    const file = form({ content: 'x' });
    const headersOf = (token: string) => ({
      Authorization: `SERVICE-API-KEY ${token}`,
      Prefer: 'wait=0',
    });
    const headers = headersOf(OWNER);
    const keyed = { ...uploadHeaders(), 'Idempotency-Key': 'k' };
    const created = await post(url, file, keyed);
    const { requestId } = (await created.clone().json()) as { requestId: string };
    const reading = (id: string, init: RequestInit = { headers }) => fetch(`${url}${id}`, init);
    const answers: [Operation, Response][] = [
      [create, created],
      [create, await post(url, form())],
      [create, await post(url, file, {})],
      [create, await post(url, file, uploadHeaders('viewer-token'))],
      [create, await post(`${gateway.url}/costs/requests/`, file)],
      [create, await fetch(url)],
      [create, await post(url, form({ content: Buffer.alloc(MAX_FILE_BYTES + 1) }))],
      [create, await post(url, file, headers)],
      [create, await post(url, form({ content: 'y' }), keyed)],
      [read, await reading(requestId)],
      [read, await reading('1')],
      [read, await reading(requestId, {})],
      [read, await reading(requestId, { headers: headersOf('viewer-token') })],
      [read, await reading(requestId, { headers: headersOf('other-token') })],
      [read, await reading(requestId, { headers, method: 'DELETE' })],
    ];
    const previewing = (
      body: Buffer<ArrayBuffer>,
      sent: Record<string, string> = uploadHeaders(),
    ) => post(`${origin}/custom-data-preview/v1.0/cost`, body, sent);
    answers.push(
      [preview, await previewing(file)],
      [preview, await previewing(form())],
      [preview, await previewing(file, {})],
      [preview, await previewing(file, uploadHeaders('viewer-token'))],
      [preview, await previewing(form({ content: Buffer.alloc(MAX_FILE_BYTES + 1) }))],
      [preview, await previewing(file, headers)],
    );
    let spent = created;
    while (spent.status !== 429) spent = await post(url, form());
    answers.push([create, spent]);
    gateway.lookup.isAvailable = false;
    answers.push([read, await reading(requestId)]);
    gateway.lookup.isAvailable = true;
    const ofHttp = ['connection', 'content-length', 'content-type', 'date', 'keep-alive'];
    expect(answers.map(([, { status }]) => status)).toEqual([
      ...[201, 400, 401, 403, 404, 405, 413, 415, 422],
      ...[200, 400, 401, 403, 404, 405],
      ...[503, 400, 401, 403, 413, 415],
      ...[429, 503],
    ]);
    for (const [operation, answer] of answers) {
      const described = Object.entries(operation.responses[answer.status]!.headers);
      const names = new Set(described.map(([name]) => name.toLowerCase()));
      const others = [...answer.headers.keys()].filter((name) => !ofHttp.includes(name));
      expect(others.filter((name) => !names.has(name))).toEqual([]);
      const promised = described.filter(([, { required }]) => required);
      expect(promised.filter(([name]) => !answer.headers.has(name))).toEqual([]);
    }
  });

  test('has every problem, word by word', () => {
    const examples = [create, read, preview].flatMap(({ responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        Object.values(content['application/problem+json']?.examples ?? {}).map(({ value }) => {
          expect(value.status).toBe(Number(status));
          return JSON.stringify(value);
        }),
      ),
    );
    // The module also exports classes. Their names begin with a capital letter.
    const factories = Object.entries(problems).filter(([name]) => /^[a-z]/.test(name));
    const words: Named<readonly string[]> = {
      methodNotAllowed: ['POST', 'GET, HEAD'],
      tooManyRequests: ['uploads', 'reads', 'previews'],
    };
    const raised = factories.flatMap(([name, make]) =>
      (words[name] ?? ['']).map((word) => {
        return JSON.stringify((make as (...given: unknown[]) => problems.Problem)(word, 1).body);
      }),
    );
    expect([...new Set(examples)].sort()).toEqual(raised.sort());
  });

  test('has the keys of uploads that the service takes', () => {
    const { schema } = create.parameters.find(({ name }) => name === 'Idempotency-Key')!;
    const pattern = new RegExp(schema.pattern, 'u');
    const isTaken = (key: string): boolean => {
      const request = { headersDistinct: { 'idempotency-key': [key] } };
      try {
        idempotencyKey(request as unknown as IncomingMessage);
        return true;
      } catch {
        return false;
      }
    };
    const characters = fc.constantFrom('"', '\\', ' ', '!', '~', 'a', '[', ']', '#', 'é', '\t');
    const quoted = fc.string({ unit: characters }).map((inner) => `"${inner}"`);
    const long = fc.integer({ min: 253, max: 258 }).map((length) => 'k'.repeat(length));
    const longQuoted = long.map((key) => `"${key}"`);
    const escaped = long.map((key) => `"${key.replaceAll('k', '\\\\')}"`);
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: characters }), quoted, long, longQuoted, escaped),
        (key) => {
          expect(pattern.test(key)).toBe(isTaken(key));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the part "file"', () => {
  const part = () => create.requestBody.content['multipart/form-data']!;
  const description = (): string => part().schema.properties['file']!.description;

  test.each(FAMILIES)('has the columns of $name files with their rules', (family) => {
    const [, section] = description().split(`**Columns of \`${family.name}\` files.**`);
    const [table] = /(?:^\|.*\n?)+/m.exec(section!)!;
    expect(rowsOf(table).slice(1)).toEqual(
      family.columns.map(({ name, required, kind }) => [
        `\`${name}\``,
        required ? 'yes' : 'no',
        RULES[kind],
      ]),
    );
  });

  test('has the rules and the limits of the page on uploads', () => {
    const listed = new Page('upload-rules.md').tableUnder('## Kinds of values');
    expect(listed.map(([kind, rule]) => [code(kind!), rule]).sort()).toEqual(
      Object.entries(RULES).sort(),
    );
    const mebibytes = new Environment().UPLOAD_MAX_UNPACKED_BYTES / 1024 / 1024;
    expect(description()).toContain(`unpacked at most ${mebibytes} MiB`);
  });

  test.each(FAMILIES)('has a valid $name file as its example', (family) => {
    const { file } = part().examples[family.name]!.value;
    const facts = { finding: null, requestDay: dayOf('2026-03-09'), integratedChannels: [] };
    expect(prepareUpload(family, [Buffer.from(file)], facts)).toMatchObject({ valid: true });
  });
});
