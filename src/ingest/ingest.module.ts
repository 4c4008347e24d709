import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { Components } from '../ops/components.js';
import { mergeWhenQuiet } from '../warehouse/rows/quiet-merges.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import type { IngestDependencies } from './dependencies.js';
import { Ingest } from './ingest.js';

export interface IngestModuleDependencies extends IngestDependencies {
  readonly warehouse: Warehouse;
  readonly components: Components;
  /** For how many milliseconds uploads in flight may still be finished. */
  readonly stopMs: () => number;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<IngestModuleDependencies>().build();

/** The role `ingest`: from the log into the warehouse. */
@Module({})
export class IngestModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(
    @Inject(MODULE_OPTIONS_TOKEN) private readonly dependencies: IngestModuleDependencies,
  ) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, logger, warehouse, components, stopMs } = this.dependencies;
    if (config.clickhouse?.cluster === undefined) {
      components.add(mergeWhenQuiet(warehouse, config.clickhouseDatabase, logger));
    }
    const ingest = await Ingest.start(this.dependencies);
    components.add({ failed: ingest.failed, stop: () => ingest.stop(stopMs()) });
  }
}
