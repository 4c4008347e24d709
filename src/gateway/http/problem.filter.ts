import {
  Catch,
  HttpException,
  Inject,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Response } from 'express';
import { LogUnavailableError } from '../../log/upload-log.js';
import type { Logger } from '../../ops/logger.js';
import type { ApiRequest } from './call.js';
import { LOGGER } from '../dependencies.js';
import { answerProblem } from './answer.js';
import {
  ClientGoneError,
  internalError,
  malformedPath,
  nothingHere,
  Problem,
  statusUnavailable,
  uploadNotTaken,
} from './problem.js';

/** Turns whatever ends a call without an answer into an answer. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<ApiRequest>();
    const response = http.getResponse<Response>();
    if (error instanceof ClientGoneError) response.destroy();
    else answerProblem(request, response, this.problemOf(error, request));
  }

  private problemOf(error: unknown, request: ApiRequest): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof LogUnavailableError) {
      return request.call?.operation === 'create' ? uploadNotTaken() : statusUnavailable();
    }
    if (error instanceof HttpException) {
      // Nest's own: no route, or a path that cannot be decoded. Its message may quote the path.
      if (error.getStatus() === 404) return nothingHere();
      if (error.getStatus() < 500) return malformedPath();
    }
    this.logger.error({ err: error, operation: request.call?.operation }, 'call failed');
    return internalError();
  }
}
