import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { Parts } from '../ops/parts.js';
import { createQueryServer, type QueryServerOptions } from './server.js';

export interface QueryDependencies extends QueryServerOptions {
  readonly port: number;
  readonly parts: Parts;
  /** Called with the port, which differs from `port` when that is 0. */
  readonly listening: (port: number) => void;
}

/** Loopback only: the interface shows every account and asks for no password. */
const HOST = '127.0.0.1';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<QueryDependencies>().build();

/** ClickHouse's HTTP interface over the embedded engine. */
@Module({})
export class QueryModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(@Inject(MODULE_OPTIONS_TOKEN) private readonly dependencies: QueryDependencies) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    const { port, parts, listening } = this.dependencies;
    const server = createQueryServer(this.dependencies);
    parts.add({ stop: () => server.close() });
    listening(await server.listen(port, HOST));
  }
}
