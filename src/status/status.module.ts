import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { Parts } from '../ops/parts.js';
import { startAuditor } from './audit.js';
import { HistoryWriter, type HistoryWriterDependencies } from './history-writer.js';

export interface StatusDependencies extends HistoryWriterDependencies {
  readonly parts: Parts;
}

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } =
  new ConfigurableModuleBuilder<StatusDependencies>().build();

/** The role `status`: writes the request history and the audit. */
@Module({})
export class StatusModule extends ConfigurableModuleClass implements OnApplicationBootstrap {
  constructor(@Inject(MODULE_OPTIONS_TOKEN) private readonly dependencies: StatusDependencies) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    const { log, warehouse, logger, parts } = this.dependencies;
    parts.add(await HistoryWriter.start(this.dependencies));
    parts.add(await startAuditor(log, warehouse, logger));
  }
}
