import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from './config/config.js';
import type { GatewayDependencies } from './gateway/dependencies.js';
import type { IngestModuleDependencies } from './ingest/ingest.module.js';
import type { OperatorDependencies } from './operator/operator.module.js';
import type { QueryDependencies } from './query/query.module.js';
import type { StatusDependencies } from './status/status.module.js';

/** What the roles of a process need, already open and answering. */
export interface AppDependencies
  extends StatusDependencies, OperatorDependencies, IngestModuleDependencies, QueryDependencies {
  readonly config: Config;
  /** Undefined: the process has no gateway. */
  readonly gateway: GatewayDependencies | undefined;
}

/**
 * The modules of a process, chosen by ROLES. They start in this order, each when the application does.
 * A module is loaded only where its role runs.
 */
@Module({})
export class AppModule {
  static async register(app: AppDependencies): Promise<DynamicModule> {
    const { roles, queryPort } = app.config;
    const imports: DynamicModule[] = [];
    if (roles.has('status')) {
      const { StatusModule } = await import('./status/status.module.js');
      const { OperatorModule } = await import('./operator/operator.module.js');
      imports.push(StatusModule.register(app), OperatorModule.register(app));
    }
    if (roles.has('ingest')) {
      const { IngestModule } = await import('./ingest/ingest.module.js');
      imports.push(IngestModule.register(app));
    }
    if (queryPort !== undefined) {
      const { QueryModule } = await import('./query/query.module.js');
      imports.push(QueryModule.register(app));
    }
    if (app.gateway !== undefined) {
      const { GatewayModule } = await import('./gateway/gateway.module.js');
      imports.push(GatewayModule.register(app.gateway));
    }
    return { module: AppModule, imports };
  }
}
