import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { Components } from '../ops/components.js';
import { startAuditor } from './audit.js';
import { HistoryWriter, type HistoryWriterDependencies } from './history-writer.js';

export interface StatusDependencies extends HistoryWriterDependencies {
  readonly components: Components;
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
    const { log, warehouse, logger, components } = this.dependencies;
    components.add(await HistoryWriter.start(this.dependencies));
    components.add(await startAuditor(log, warehouse, logger));
  }
}
