import { setTimeout as sleep } from 'node:timers/promises';

import { expect } from '@jest/globals';

import type { UploadRequestRecord } from '../../../src/status/transition.js';
import type { ServiceProcess } from './service-process.js';

/** A claim settles after 24 s. A broker beside other tests may take seconds for an answer. */
export const QUICK = { LOG_TIMEOUT_SECONDS: '8' };
const KEY = 'Idempotency-Key';

export const fileOf = (campaign: string, clicks = 1): string =>
  `date,channel,currency,campaign,impressions,clicks,cost\n2026-02-01,news,EUR,${campaign},1,${clicks},0.5\n`;

export function send(
  service: ServiceProcess,
  token: string,
  key: string,
  content: string,
): Promise<Response> {
  const body = new FormData();
  body.append('file', new Blob([content]), 'data.csv');
  const url = `http://127.0.0.1:${service.ports.api}/custom-data-upload/v1.0/cost/requests/`;
  const headers = { Authorization: `SERVICE-API-KEY ${token}`, [KEY]: key };
  return fetch(url, { method: 'POST', headers, body });
}

export async function accepted(answering: Promise<Response>): Promise<UploadRequestRecord> {
  const answer = await answering;
  const text = await answer.text();
  expect(answer.status === 201 ? 201 : `${answer.status} ${text}`).toBe(201);
  return JSON.parse(text) as UploadRequestRecord;
}

/** Retries as a client does after a 409. */
export async function retried(create: () => Promise<Response>): Promise<Response> {
  const until = Date.now() + 60_000;
  for (;;) {
    const answer = await create();
    if (answer.status !== 409 || Date.now() > until) return answer;
    await sleep(Number(answer.headers.get('Retry-After')) * 1_000);
  }
}

export const storedClicks =
  "SELECT sum(clicks) AS clicks, count() AS rows FROM cost_rows WHERE campaign = '";
