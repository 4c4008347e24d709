import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  BOUNDARY,
  expectProblem,
  FILE_DISPOSITION,
  form,
  post,
  uploadHeaders,
} from '../../../../support/gateway/forms.js';
import { OWNER, startGateway, type Gateway } from '../../../../support/gateway/gateway.js';
import { RawClient } from '../../../../support/gateway/raw-client.js';

const CSV = 'date,channel\n2026-01-01,x\n';
const FAMILIES = ['cost', 'self-serve'];

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway.close();
});

describe('media type', () => {
  test.each([
    ['another type', { 'Content-Type': 'text/csv' }],
    ['another form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['a longer type', { 'Content-Type': `multipart/form-data-x; boundary=${BOUNDARY}` }],
    ['a content coding', { 'Content-Encoding': 'gzip' }],
  ])('%s is 415', async (_what, headers) => {
    const response = await post(`${gateway.url}/cost/requests/`, form({ content: CSV }), {
      ...uploadHeaders(),
      ...headers,
    });
    await expectProblem(response, 415);
  });

  test('no type at all is 415', async () => {
    const client = await RawClient.connect(gateway.port);
    client.head('POST /custom-data-upload/v1.0/cost/requests/', {
      Authorization: `SERVICE-API-KEY ${OWNER}`,
      'Content-Length': '1',
    });
    await client.send('x');
    expect((await client.answer()).status).toBe(415);
    client.destroy();
  });

  test.each([
    `multipart/form-data; charset=utf-8; boundary=${BOUNDARY}`,
    `multipart/form-data; boundary=${BOUNDARY}; charset=utf-8`,
    `Multipart/Form-Data;boundary="${BOUNDARY}"`,
    // RFC 9110, 5.6.6 allows empty parameters.
    `multipart/form-data; boundary=${BOUNDARY};`,
    `multipart/form-data; ;; a="; ;\\" ;"; boundary=${BOUNDARY} ; `,
  ])('%s is fine', async (type) => {
    const response = await post(`${gateway.url}/cost/requests/`, form({ content: CSV }), {
      ...uploadHeaders(),
      'Content-Type': type,
    });
    expect(response.status).toBe(201);
  });

  test.each([
    'multipart/form-data',
    'multipart/form-data; charset=utf-8',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
  ])('%s is 400 and tells to let the HTTP client set the header', async (type) => {
    const response = await post(`${gateway.url}/cost/requests/`, form({ content: CSV }), {
      ...uploadHeaders(),
      'Content-Type': type,
    });
    expect(await expectProblem(response, 400)).toContain('let the HTTP client set it');
  });

  test.each([
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
    'multipart/form-data; x; boundary=b',
  ])('%s is 400', async (type) => {
    const response = await post(`${gateway.url}/cost/requests/`, form({ content: CSV }), {
      ...uploadHeaders(),
      'Content-Type': type,
    });
    await expectProblem(response, 400);
  });
});

describe('the form', () => {
  const file = { content: CSV };
  const named = (disposition: string, ...more: string[]) => ({
    headers: [`Content-Disposition: form-data; ${disposition}`, ...more],
    content: CSV,
  });
  test.each([
    ['no parts', form(), 'no part named "file"'],
    ['an empty body', Buffer.alloc(0), 'not a well-formed'],
    ['no form at all', Buffer.from('hello'), 'not a well-formed'],
    ['no final boundary', form(file).subarray(0, -6), 'not a well-formed'],
    ['a part of another name', form(named('name="data"; filename="a.csv"')), 'one part only'],
    ['a nameless part', form(named('filename="a.csv"')), 'one part only'],
    ['a field', form(named('name="comment"')), 'one part only'],
    ['a field before the file', form(named('name="comment"'), file), 'one part only'],
    ['a field behind the file', form(file, named('name="comment"')), 'one part only'],
    ['two files', form(file, file), 'one part only'],
    ['two files, the second empty', form(file, { content: '' }), 'one part only'],
    ['a file of another name behind', form(file, named('name="b"; filename="b"')), 'one part only'],
    [
      'a part without a disposition behind',
      form(file, { headers: ['X: y'], content: '' }),
      'one part only',
    ],
    [
      'a part without a disposition before',
      form({ headers: ['X: y'], content: '' }, file),
      'one part only',
    ],
    [
      'only a part without a disposition',
      form({ headers: ['X: y'], content: CSV }),
      'no part named',
    ],
    ['no filename', form(named('name="file"')), 'has no filename'],
    [
      'no filename on bytes',
      form(named('name="file"', 'Content-Type: application/octet-stream')),
      'has no filename',
    ],
    ['an empty filename', form(named('name="file"; filename=""')), 'has no filename'],
    [
      'an empty filename on bytes',
      form(named('name="file"; filename=""', 'Content-Type: application/octet-stream')),
      'has no filename',
    ],
    ['broken part headers', form({ headers: ['no colon'], content: CSV }), 'not a well-formed'],
    [
      'part headers without end',
      Buffer.from(`--${BOUNDARY}\r\nX: ${'y'.repeat(20_000)}`),
      'not a well-formed',
    ],
    [
      'a boundary in the part headers',
      Buffer.from(`--${BOUNDARY}\r\n${FILE_DISPOSITION}\r\n\r\n--${BOUNDARY}\r\n--\r\n.`),
      'not a well-formed',
    ],
  ])('%s is 400', async (_what, body, detail) => {
    for (const family of FAMILIES) {
      const response = await post(`${gateway.url}/${family}/requests/`, Buffer.from(body));
      expect(await expectProblem(response, 400)).toContain(detail);
    }
  });

  test.each([
    ['filename*', form(named(`name="file"; filename*=UTF-8''%E2%82%AC.csv`))],
    ['an unquoted filename', form(named('name=file; filename=a.csv'))],
    ['a UTF-8 filename', form(named('name="file"; filename="비용.csv"'))],
    ['a Windows path', form(named('name="file"; filename="C:\\data\\cost.csv"'))],
    [
      'a preamble and an epilogue',
      Buffer.concat([Buffer.from('hi\r\n'), form(file), Buffer.from('bye')]),
    ],
    ['an empty file', form({ headers: [FILE_DISPOSITION], content: '' })],
  ])('%s is fine', async (_what, body) => {
    const response = await post(`${gateway.url}/cost/requests/`, Buffer.from(body));
    expect(response.status).toBe(201);
  });
});
