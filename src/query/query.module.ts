import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { Config } from '../config/config.js';
import { chdbFolder } from '../config/data-folder.js';
import type { Logger } from '../ops/logger.js';
import type { Components } from '../ops/components.js';
import { createQueryServer } from './server.js';

export interface QueryDependencies {
  readonly config: Config;
  readonly logger: Logger;
  readonly components: Components;
  /** Called with the port, which differs from the configured one when that is 0. */
  readonly queryListening: (port: number) => void;
}

/** Loopback only: the interface shows every account and asks for no password. */
const HOST = '127.0.0.1';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<QueryDependencies>().build();

/** ClickHouse's HTTP interface over the embedded engine, where it has a port. */
@Module({})
export class QueryModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(@Inject(MODULE_OPTIONS_TOKEN) private readonly dependencies: QueryDependencies) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, logger, components, queryListening } = this.dependencies;
    const { queryPort, dataDir, clickhouseDatabase: database, limits } = config;
    const server = createQueryServer({ path: chdbFolder(dataDir), database, limits, logger });
    components.add({ stop: () => server.close() });
    queryListening(await server.listen(queryPort!, HOST));
  }
}
