import { ApiProperty } from '@nestjs/swagger';
import type { ProblemBody } from '../http/problem.js';

/** The body of a problem (RFC 9457) as the document describes it. */
export class ProblemDetails implements ProblemBody {
  @ApiProperty({
    type: String,
    enum: ['about:blank'],
    description: 'No problem has a type of its own: the status tells what it is.',
  })
  readonly type!: string;

  @ApiProperty({ type: String, description: 'The name of the status.' })
  readonly title!: string;

  @ApiProperty({ type: 'integer', minimum: 400, maximum: 599, description: "The answer's." })
  readonly status!: number;

  @ApiProperty({ type: String, description: 'What is wrong and what to do, for a person to read.' })
  readonly detail!: string;
}
