import { All, Controller, Get, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';

import { isUuid } from '../../domain/request-id.js';
import type { RequestLookup } from '../../status/request-lookup.js';
import { recordOf } from '../../status/transition.js';
import type { Logger } from '../../ops/logger.js';
import { TokenGuard } from '../auth/token.guard.js';
import { acceptedCall, type ApiRequest, leaveOut, OperationIs } from '../http/call.js';
import { LOGGER, REQUEST_LOOKUP } from '../dependencies.js';
import { answerRecord, REQUESTS_ROUTE, refuseMethod } from '../http/answer.js';
import { notAUuid, statusUnavailable, unknownRequest } from '../http/problem.js';
import { RateLimitGuard } from '../http/rate-limit.guard.js';
import { StateWaiters } from './state-waiters.js';

/** Below the idle time of usual load balancers (60 s), which would cut a longer wait. */
const MAX_WAIT_SECONDS = 30;
const WAIT = /^wait[\t ]*=[\t ]*(?:"(\d+)"|(\d+))[\t ]*(?:;|$)/i;

/**
 * The seconds of the preference `wait` in a header `Prefer` (RFC 7240), 0 to 30; undefined when
 * there is none or it is malformed. The first of several counts.
 */
export function preferredWait(prefer: string | undefined): number | undefined {
  if (prefer === undefined) return undefined;
  const preference = prefer
    .split(',')
    .map((each) => each.trim())
    .find((each) => /^wait(?:[\t =;]|$)/i.test(each));
  const match = WAIT.exec(preference ?? '');
  if (match === null) return undefined;
  return Math.min(Number(match[1] ?? match[2]), MAX_WAIT_SECONDS);
}

@Controller(REQUESTS_ROUTE)
export class ReadController {
  constructor(
    @Inject(REQUEST_LOOKUP) private readonly lookup: RequestLookup,
    @Inject(StateWaiters) private readonly waiters: StateWaiters,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get(':requestId')
  @OperationIs('read')
  @UseGuards(TokenGuard, RateLimitGuard)
  async read(@Req() request: ApiRequest, @Res() response: Response): Promise<void> {
    const { family, holder } = acceptedCall(request);
    const requestId = String(request.params['requestId']).toLowerCase();
    if (!isUuid(requestId)) throw notAUuid();

    const found = await this.lookup.find(requestId);
    this.logger.debug({ requestId, account: holder.account, family }, 'read');
    if (found === 'unavailable') throw statusUnavailable();
    if (found === 'unknown' || found.account !== holder.account || found.family !== family) {
      throw unknownRequest();
    }
    const wait = preferredWait(request.get('prefer'));
    if (wait === undefined) {
      answerRecord(request, response, 200, recordOf(found));
      return;
    }
    const waitsFrom = performance.now();
    const next = await this.waiters.next(found, wait * 1_000, response);
    leaveOut(request, performance.now() - waitsFrom);
    const applied = next === undefined ? {} : { 'Preference-Applied': `wait=${wait}` };
    answerRecord(request, response, 200, recordOf(next ?? found), applied);
  }

  @All(':requestId')
  otherMethods(@Req() request: ApiRequest): never {
    refuseMethod(request, 'GET, HEAD');
  }
}
