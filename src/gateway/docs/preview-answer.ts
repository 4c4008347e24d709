import {
  type Preview,
  type PreviewedKey,
  type PreviewKeys,
  type PreviewTotal,
  type PreviewTotals,
  type Warning,
  WARNING_CODES,
} from '../../preview/answer.js';
import { objectOf, ref, type Schema, TIMESTAMP } from './schema.js';

const COUNT: Schema = { type: 'integer', minimum: 0 };
const COUNT_IF_COMPARED: Schema = { ...COUNT, type: ['integer', 'null'] };
const TEXT_OF_COST: Schema = { type: 'string', description: 'Of cost.' };
const EVENT_CATEGORY: Schema = { type: 'string', description: 'Of self-serve.' };
/** Null: beyond what a double holds. */
const MEASURE_OF_COST: Schema = { ...TEXT_OF_COST, type: ['number', 'null'] };
const MEASURES: Readonly<Record<string, Schema>> = {
  impressions: MEASURE_OF_COST,
  clicks: MEASURE_OF_COST,
  cost: MEASURE_OF_COST,
  event_value: { ...EVENT_CATEGORY, type: ['number', 'null'] },
};

/** The schemas of a preview's answer by their names. */
export const PREVIEW_SCHEMAS: Readonly<Record<string, Schema>> = {
  PreviewMeasures: { type: 'object', properties: MEASURES },
  PreviewKeyMeasures: { type: 'object', properties: { ...MEASURES, currency: TEXT_OF_COST } },
  PreviewKeys: objectOf<PreviewKeys>({
    total: { ...COUNT, description: 'Overwrite keys of the file.' },
    new: { ...COUNT_IF_COMPARED, description: 'Keys of which nothing is stored.' },
    replaced: { ...COUNT_IF_COMPARED, description: 'Keys whose stored rows are others.' },
    unchanged: { ...COUNT_IF_COMPARED, description: 'Keys that hold exactly these rows.' },
  }),
  PreviewTotal: objectOf<PreviewTotal>(
    {
      currency: TEXT_OF_COST,
      event_category: EVENT_CATEGORY,
      before: ref('PreviewMeasures'),
      after: ref('PreviewMeasures'),
    },
    ['currency', 'event_category'],
  ),
  PreviewTotals: objectOf<PreviewTotals>({
    listed: listOf('PreviewTotal', { maxItems: 50, description: 'Largest changes first.' }),
    more: { ...COUNT, description: 'How many are not listed.' },
  }),
  PreviewedKey: objectOf<PreviewedKey>(
    {
      date: { type: 'string', format: 'date' },
      channel: { type: 'string' },
      campaign: TEXT_OF_COST,
      event_category: EVENT_CATEGORY,
      before: listOf('PreviewKeyMeasures', { description: 'Of cost one for each currency.' }),
      after: listOf('PreviewKeyMeasures'),
      requestId: { type: 'string', format: 'uuid', description: 'The upload that stands there.' },
      uploadedAt: { ...TIMESTAMP, description: 'When it was accepted, in UTC.' },
    },
    ['campaign', 'event_category'],
  ),
  PreviewWarning: objectOf<Warning>({
    code: { type: 'string', enum: WARNING_CODES },
    column: { type: 'string', description: 'The column that it is about, or `file`.' },
    rows: {
      type: 'array',
      items: { type: 'number' },
      maxItems: 20,
      description: 'Up to 20 rows that it is about, as a spreadsheet shows them.',
    },
    message: { type: 'string', description: 'For a person to read.' },
  }),
  PreviewAnswer: objectOf<Preview>({
    valid: { type: 'boolean', description: 'Whether an upload of the file would succeed.' },
    reason: {
      type: ['object', 'null'],
      additionalProperties: { type: 'array', items: { type: 'string' } },
      description: 'What is wrong, as in the `reason` of a request: by column a list of messages.',
    },
    rows: { ...COUNT_IF_COMPARED, description: 'Rows of data of a valid file.' },
    keys: orNull('PreviewKeys', 'Null for a file with mistakes.'),
    compared: {
      type: 'boolean',
      description: 'False for a file with mistakes, and for one that is too large to compare.',
    },
    totals: orNull(
      'PreviewTotals',
      "Sums of all rows of the file's keys, before and after; null if not compared.",
    ),
    replaced: listOf('PreviewedKey', {
      maxItems: 100,
      description: 'Keys with other rows: the largest changes of cost or event_value first.',
    }),
    warnings: listOf('PreviewWarning', { description: 'What may be a mistake.' }),
    asOf: { ...TIMESTAMP, description: 'When the comparison began, in UTC.' },
  }),
};

function listOf(name: string, rest: Schema = {}): Schema {
  return { type: 'array', items: ref(name), ...rest };
}

function orNull(name: string, description: string): Schema {
  return { anyOf: [ref(name), { type: 'null' }], description };
}
