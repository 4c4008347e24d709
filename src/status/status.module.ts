import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { Config } from '../config/config.js';
import type { Components } from '../ops/components.js';
import { startAuditor } from './audit.js';
import { startHistoryRetention } from './history-retention.js';
import { HistoryWriter, type HistoryWriterDependencies } from './history-writer.js';

export interface StatusDependencies extends HistoryWriterDependencies {
  readonly config: Pick<Config, 'clickhouse' | 'clickhouseDatabase' | 'limits'>;
  readonly components: Components;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<StatusDependencies>().build();

/** The role `status`: writes the request history and the audit, and deletes what is too old. */
@Module({})
export class StatusModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(@Inject(MODULE_OPTIONS_TOKEN) private readonly dependencies: StatusDependencies) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, log, warehouse, logger, components } = this.dependencies;
    const { clickhouse, clickhouseDatabase: database, limits } = config;
    components.add(await HistoryWriter.start(this.dependencies));
    components.add(await startAuditor(log, warehouse, logger));
    if (limits.historyRetentionMs !== undefined) {
      const tables = { warehouse, database, cluster: clickhouse?.cluster };
      components.add(startHistoryRetention(tables, limits.historyRetentionMs, logger));
    }
  }
}
