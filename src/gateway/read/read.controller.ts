import { All, Controller, Get, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { isUuid } from '../../domain/requests/request-id.js';
import type { RequestLookup } from '../../domain/requests/request-lookup.js';
import { recordOf } from '../../domain/requests/transition.js';
import type { Logger } from '../../ops/logger.js';
import { TokenGuard } from '../auth/token.guard.js';
import { acceptedCall, type ApiRequest } from '../call.js';
import { LOGGER, REQUEST_LOOKUP } from '../dependencies.js';
import { REQUESTS_ROUTE } from '../paths.js';
import { answerRecord } from '../problems/answer.js';
import { badRequest, statusUnavailable, unknownRequest } from '../problems/problem.js';
import { refuseMethod } from '../problems/refuse-method.js';

@Controller(REQUESTS_ROUTE)
export class ReadController {
  constructor(
    @Inject(REQUEST_LOOKUP) private readonly lookup: RequestLookup,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  @Get(':requestId')
  @UseGuards(TokenGuard)
  async read(@Req() request: ApiRequest, @Res() response: Response): Promise<void> {
    const { family, holder } = acceptedCall(request);
    const requestId = String(request.params['requestId']).toLowerCase();
    if (!isUuid(requestId)) throw badRequest('The requestId in the path is not a UUID.');

    const found = await this.lookup.find(requestId);
    this.logger.debug({ requestId, account: holder.account, family }, 'read');
    if (found === 'unavailable') throw statusUnavailable();
    if (found === 'unknown' || found.account !== holder.account || found.family !== family) {
      throw unknownRequest();
    }
    answerRecord(request, response, 200, recordOf(found));
  }

  @All(':requestId')
  otherMethods(@Req() request: ApiRequest): never {
    refuseMethod(request, 'GET, HEAD');
  }
}
