import { type DynamicModule, Module } from '@nestjs/common';

import type { Config } from './config/config.js';
import { chdbFolder } from './config/data-folder.js';
import type { GatewayDependencies } from './gateway/dependencies.js';
import type { IngestModuleDependencies } from './ingest/ingest.module.js';
import type { OperatorDependencies } from './operator/operator.module.js';
import type { StatusDependencies } from './status/status.module.js';

/** What the roles of a process need, already open and answering. */
export interface AppDependencies
  extends StatusDependencies, OperatorDependencies, IngestModuleDependencies {
  readonly config: Config;
  /** Undefined: the process has no gateway. */
  readonly gateway: GatewayDependencies | undefined;
  /** Called with the port of the query interface. */
  readonly queryListening: (port: number) => void;
}

/**
 * The modules of a process, chosen by ROLES. They start in this order, each when the application does.
 * A module is loaded only where its role runs.
 */
@Module({})
export class AppModule {
  static async register(app: AppDependencies): Promise<DynamicModule> {
    const { roles, queryPort, dataDir, clickhouseDatabase, limits } = app.config;
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
      imports.push(
        QueryModule.register({
          path: chdbFolder(dataDir),
          database: clickhouseDatabase,
          limits,
          logger: app.logger,
          port: queryPort,
          parts: app.parts,
          listening: app.queryListening,
        }),
      );
    }
    if (app.gateway !== undefined) {
      const { GatewayModule } = await import('./gateway/gateway.module.js');
      imports.push(GatewayModule.register(app.gateway));
    }
    return { module: AppModule, imports };
  }
}
