import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { Config } from '../config/config.js';
import type { ErasedUploads } from '../domain/erased-uploads.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import type { Components } from '../ops/components.js';
import type { RowStore } from '../warehouse/row-store.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { startEraser } from './erasure/eraser.js';
import { startArchivals } from './metric-archival/archival-writer.js';

export interface OperatorDependencies {
  readonly config: Pick<Config, 'clickhouse' | 'clickhouseDatabase'>;
  readonly log: UploadLog;
  readonly rows: RowStore;
  readonly warehouse: Warehouse;
  readonly erased: ErasedUploads;
  readonly logger: Logger;
  readonly components: Components;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<OperatorDependencies>().build();

/** Applies what operators order through the topic `control`; runs with the role `status`. */
@Module({})
export class OperatorModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(@Inject(MODULE_OPTIONS_TOKEN) private readonly dependencies: OperatorDependencies) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, log, rows, warehouse, erased, logger, components } = this.dependencies;
    const { clickhouse, clickhouseDatabase: database } = config;
    components.add(await startArchivals(log, warehouse, erased, logger));
    components.add(
      await startEraser({
        log,
        rows,
        warehouse,
        database,
        cluster: clickhouse?.cluster,
        statementMs: clickhouse?.timeoutMs ?? 0,
        logger,
      }),
    );
  }
}
