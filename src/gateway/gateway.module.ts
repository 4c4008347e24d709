import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { TokenGuard } from './auth/token.guard.js';
import { ConsoleController } from './console/console.controller.js';
import { Acceptance } from './create/acceptance.js';
import { CreateController } from './create/create.controller.js';
import { TimedLog } from './create/timed-log.js';
import {
  ACCEPTANCE_FENCE,
  ERASED_UPLOADS,
  GATEWAY_CONFIG,
  LOGGER,
  PREVIEWER,
  REQUEST_LOOKUP,
  TOKENS,
  UPLOAD_LOG,
  VERSION_CLOCK,
  type GatewayDependencies,
} from './dependencies.js';
import { Claims } from './create/idempotency/claims.js';
import { Idempotency } from './create/idempotency/idempotency.js';
import { ProblemFilter } from './http/problem.filter.js';
import { RateLimitGuard } from './http/rate-limit.guard.js';
import { PreviewController } from './preview/preview.controller.js';
import { ReadController } from './read/read.controller.js';
import { StateWaiters } from './read/state-waiters.js';
import { GracefulShutdown, OpenCreates } from './http/graceful-shutdown.js';

/** The HTTP API: creates and reads upload requests. */
@Module({})
export class GatewayModule {
  static register(dependencies: GatewayDependencies): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [CreateController, ReadController, PreviewController, ConsoleController],
      providers: [
        { provide: UPLOAD_LOG, useValue: dependencies.log },
        { provide: TOKENS, useValue: dependencies.tokens },
        { provide: REQUEST_LOOKUP, useValue: dependencies.lookup },
        { provide: ACCEPTANCE_FENCE, useValue: dependencies.fence },
        { provide: ERASED_UPLOADS, useValue: dependencies.erased },
        { provide: VERSION_CLOCK, useValue: dependencies.clock },
        { provide: PREVIEWER, useValue: dependencies.previewer },
        { provide: GATEWAY_CONFIG, useValue: dependencies.config },
        { provide: LOGGER, useValue: dependencies.logger },
        { provide: APP_FILTER, useClass: ProblemFilter },
        TokenGuard,
        RateLimitGuard,
        TimedLog,
        OpenCreates,
        Claims,
        Idempotency,
        Acceptance,
        StateWaiters,
        GracefulShutdown,
      ],
    };
  }
}
