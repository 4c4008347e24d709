import { All, Controller, Inject, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { recordOf } from '../../status/transition.js';
import { TokenGuard } from '../auth/token.guard.js';
import type { ApiRequest } from '../http/call.js';
import { CreateOperation } from '../docs/create-operation.js';
import { REQUESTS_ROUTE, requestPath, refuseMethod } from '../http/paths.js';
import { answerRecord } from '../http/answer.js';
import { RateLimitGuard } from '../http/rate-limit.guard.js';
import { CreateUpload } from './create-upload.js';

@Controller(REQUESTS_ROUTE)
export class CreateController {
  constructor(@Inject(CreateUpload) private readonly createUpload: CreateUpload) {}

  @Post()
  @CreateOperation()
  @UseGuards(TokenGuard, RateLimitGuard)
  async create(@Req() request: ApiRequest, @Res() response: Response): Promise<void> {
    const transition = await this.createUpload.run(request, response);
    answerRecord(request, response, 201, recordOf(transition), {
      Location: requestPath(transition.family, transition.requestId),
    });
  }

  @All()
  otherMethods(@Req() request: ApiRequest): never {
    refuseMethod(request, 'POST');
  }
}
