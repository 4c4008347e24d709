import {
  ConfigurableModuleBuilder,
  Inject,
  Module,
  type OnApplicationBootstrap,
} from '@nestjs/common';

import type { ErasedUploads } from '../domain/erased-uploads.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import type { Parts } from '../ops/parts.js';
import type { Warehouse } from '../warehouse/warehouse.js';
import { startAuditor } from './audit.js';
import { HistoryWriter } from './history-writer.js';
import type { RequestStore } from './request-store.js';

export interface StatusDependencies {
  readonly log: UploadLog;
  readonly requests: RequestStore;
  readonly warehouse: Warehouse;
  readonly erased: ErasedUploads;
  readonly logger: Logger;
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
    const { log, requests, warehouse, erased, logger, parts } = this.dependencies;
    parts.add(await HistoryWriter.start({ log, requests, warehouse, erased, logger }));
    parts.add(await startAuditor(log, warehouse, logger));
  }
}
