import { ApiProperty, type ApiPropertyOptions, ApiPropertyOptional } from '@nestjs/swagger';

import { type Warning, WARNING_CODES } from '../../preview/answer.js';
import { TIMESTAMP } from './upload-request.js';

// What `src/preview/preview.ts` returns, as the document describes it.

const COUNT: ApiPropertyOptions = { type: 'integer', minimum: 0 };
const COUNT_IF_COMPARED: ApiPropertyOptions = { ...COUNT, nullable: true };
/** Null: beyond what a double holds. */
const MEASURE: ApiPropertyOptions = { type: Number, nullable: true };

export class PreviewMeasures {
  @ApiPropertyOptional({ ...MEASURE, description: 'Of cost.' })
  readonly impressions?: number | null;

  @ApiPropertyOptional({ ...MEASURE, description: 'Of cost.' })
  readonly clicks?: number | null;

  @ApiPropertyOptional({ ...MEASURE, description: 'Of cost.' })
  readonly cost?: number | null;

  @ApiPropertyOptional({ ...MEASURE, description: 'Of self-serve.' })
  readonly event_value?: number | null;
}

export class PreviewKeyMeasures extends PreviewMeasures {
  @ApiPropertyOptional({ type: String, description: 'Of cost.' })
  readonly currency?: string;
}

export class PreviewKeys {
  @ApiProperty({ ...COUNT, description: 'Overwrite keys of the file.' })
  readonly total!: number;

  @ApiProperty({ ...COUNT_IF_COMPARED, description: 'Keys of which nothing is stored.' })
  readonly new!: number | null;

  @ApiProperty({ ...COUNT_IF_COMPARED, description: 'Keys whose stored rows are others.' })
  readonly replaced!: number | null;

  @ApiProperty({ ...COUNT_IF_COMPARED, description: 'Keys that hold exactly these rows.' })
  readonly unchanged!: number | null;
}

export class PreviewTotal {
  @ApiPropertyOptional({ type: String, description: 'Of cost.' })
  readonly currency?: string;

  @ApiPropertyOptional({ type: String, description: 'Of self-serve.' })
  readonly event_category?: string;

  @ApiProperty({ type: PreviewMeasures })
  readonly before!: PreviewMeasures;

  @ApiProperty({ type: PreviewMeasures })
  readonly after!: PreviewMeasures;
}

export class PreviewTotals {
  @ApiProperty({ type: [PreviewTotal], maxItems: 50, description: 'Largest changes first.' })
  readonly listed!: readonly PreviewTotal[];

  @ApiProperty({ ...COUNT, description: 'How many are not listed.' })
  readonly more!: number;
}

export class PreviewedKey {
  @ApiProperty({ type: String, format: 'date' })
  readonly date!: string;

  @ApiProperty({ type: String })
  readonly channel!: string;

  @ApiPropertyOptional({ type: String, description: 'Of cost.' })
  readonly campaign?: string;

  @ApiPropertyOptional({ type: String, description: 'Of self-serve.' })
  readonly event_category?: string;

  @ApiProperty({ type: [PreviewKeyMeasures], description: 'Of cost one for each currency.' })
  readonly before!: readonly PreviewKeyMeasures[];

  @ApiProperty({ type: [PreviewKeyMeasures] })
  readonly after!: readonly PreviewKeyMeasures[];

  @ApiProperty({ type: String, format: 'uuid', description: 'The upload that stands there.' })
  readonly requestId!: string;

  @ApiProperty({ ...TIMESTAMP, description: 'When it was accepted, in UTC.' })
  readonly uploadedAt!: string;
}

export class PreviewWarning implements Warning {
  @ApiProperty({ type: String, enum: WARNING_CODES })
  readonly code!: Warning['code'];

  @ApiProperty({ type: String, description: 'The column that it is about, or `file`.' })
  readonly column!: string;

  @ApiProperty({
    type: [Number],
    maxItems: 20,
    description: 'Up to 20 rows that it is about, as a spreadsheet shows them.',
  })
  readonly rows!: readonly number[];

  @ApiProperty({ type: String, description: 'For a person to read.' })
  readonly message!: string;
}

/** The answer of the preview operation. */
export class PreviewAnswer {
  @ApiProperty({ type: Boolean, description: 'Whether an upload of the file would succeed.' })
  readonly valid!: boolean;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    nullable: true,
    description: 'What is wrong, as in the `reason` of a request: by column a list of messages.',
  })
  readonly reason!: Readonly<Record<string, readonly string[]>> | null;

  @ApiProperty({ ...COUNT_IF_COMPARED, description: 'Rows of data of a valid file.' })
  readonly rows!: number | null;

  @ApiProperty({ type: PreviewKeys, nullable: true, description: 'Null for a file with mistakes.' })
  readonly keys!: PreviewKeys | null;

  @ApiProperty({
    type: Boolean,
    description: 'False for a file with mistakes, and for one that is too large to compare.',
  })
  readonly compared!: boolean;

  @ApiProperty({
    type: PreviewTotals,
    nullable: true,
    description: "Sums of all rows of the file's keys, before and after; null if not compared.",
  })
  readonly totals!: PreviewTotals | null;

  @ApiProperty({
    type: [PreviewedKey],
    maxItems: 100,
    description: 'Keys with other rows: the largest changes of cost or event_value first.',
  })
  readonly replaced!: readonly PreviewedKey[];

  @ApiProperty({ type: [PreviewWarning], description: 'What may be a mistake.' })
  readonly warnings!: readonly PreviewWarning[];

  @ApiProperty({ ...TIMESTAMP, description: 'When the comparison began, in UTC.' })
  readonly asOf!: string;
}
