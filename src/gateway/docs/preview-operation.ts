import * as problem from '../http/problem.js';
import { answer, problemAnswers } from './answers.js';
import { FILE_BODY, FILE_PROBLEMS } from './file-body.js';
import { operation } from './operation.js';
import type { Preview } from '../../preview/answer.js';

const DESCRIPTION = `Checks the file as an upload would, compares its overwrite keys with what is stored, and
tells what an upload of it would do. Nothing is stored. Another upload may come between: \`asOf\` is when the
comparison began, and it may find rows that were stored later.

Files that were compressed or have mistakes are answered 200 too. An account has one preview at a time; when
too many wait, or the warehouse is away, the answer is 503.`;

const PROBLEMS = {
  ...FILE_PROBLEMS,
  tooManyRequests: problem.tooManyRequests('previews', 7),
  previewUnavailable: problem.previewUnavailable(),
};

const EXAMPLES = {
  valid: {
    valid: true,
    reason: null,
    rows: 2,
    keys: { total: 2, new: 1, replaced: 1, unchanged: 0 },
    compared: true,
    totals: {
      listed: [
        {
          currency: 'EUR',
          before: { impressions: 12000, clicks: 340, cost: 151.2 },
          after: { impressions: 20000, clicks: 530, cost: 250 },
        },
      ],
      more: 0,
    },
    replaced: [
      {
        date: '2026-03-02',
        channel: 'newsletter',
        campaign: 'Spring sale',
        before: [{ currency: 'EUR', impressions: 12000, clicks: 340, cost: 151.2 }],
        after: [{ currency: 'EUR', impressions: 12000, clicks: 340, cost: 171.2 }],
        requestId: '01a1fbe9-8d12-7e37-8444-47b183ed8e35',
        uploadedAt: '2026-03-09T08:15:30',
      },
    ],
    warnings: [
      {
        code: 'new-channel',
        column: 'channel',
        rows: [3],
        message: '"podcast" is a channel that the account has not had before',
      },
    ],
    asOf: '2026-03-10T09:00:00',
  },
  mistakes: {
    valid: false,
    reason: { date: ['row 2: "2026-13-01" is not a date of the form YYYY-MM-DD'] },
    rows: null,
    keys: null,
    compared: false,
    totals: null,
    replaced: [],
    warnings: [],
    asOf: '2026-03-10T09:00:00',
  },
} satisfies Record<string, Preview>;

export const PREVIEW_OPERATION = operation({
  operationId: 'previewUpload',
  summary: 'Tell what an upload of a file would do',
  description: DESCRIPTION,
  requestBody: FILE_BODY,
  responses: {
    200: answer('PreviewAnswer', {
      description: 'What an upload of the file would do.',
      examples: EXAMPLES,
    }),
    ...problemAnswers(PROBLEMS),
  },
});
