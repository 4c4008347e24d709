import type { AppDependencies } from '../app.module.js';
import { TokenFile } from '../accounts/token-lookup.js';
import type { Config } from '../config/config.js';
import type { GatewayDependencies } from '../gateway/dependencies.js';
import { RetentionGuard } from '../gateway/create/retention-guard.js';
import { type ErasedAccounts, lookupWithoutErased } from '../operator/erasure/erased-accounts.js';
import type { Logger } from '../ops/logger.js';
import { integratedChannels } from '../ops/metrics.js';
import { PreviewThread } from '../preview/preview-thread.js';
import { Previewer } from '../preview/previewer.js';
import { startRequestReader } from '../status/request-reader.js';
import { ViewProgress } from '../status/view-progress.js';

/** Requests that are answered from memory. The history in the warehouse answers for older ones. */
const STATUS_VIEW_BYTES = 64 * 1024 * 1024;

export type SharedDependencies = Pick<
  AppDependencies,
  'config' | 'log' | 'warehouse' | 'requests' | 'logger' | 'components'
> & { readonly erased: ErasedAccounts };

/**
 * Starts what the gateway needs of the rest of the service.
 *
 * @param ask asks the log or the warehouse until it answers
 */
export async function startGatewayDependencies(
  { config, log, warehouse, requests, erased, logger, components }: SharedDependencies,
  ask: <T>(question: () => Promise<T>) => Promise<T>,
): Promise<GatewayDependencies & { readonly viewProgress: ViewProgress }> {
  const { limits } = config;
  warnWithoutChannels(config, logger);
  const { reader, tail, clock } = await startRequestReader(
    {
      ...{ log, requests, components },
      viewBytes: STATUS_VIEW_BYTES,
      timeoutMs: limits.logTimeoutMs,
      historyRetentionMs: limits.historyRetentionMs,
    },
    ask,
  );
  const viewProgress = new ViewProgress(log, tail, limits.viewStalledMs);
  let fence: GatewayDependencies['fence'] = reader;
  // Kafka deletes by age, the embedded log only what is finished.
  if (config.kafka !== undefined) {
    const retentionMs = limits.logRetentionMs;
    const guard = await RetentionGuard.start({ log, retentionMs, logger }, reader);
    components.add(guard);
    fence = guard;
  }
  const tokens = await TokenFile.open(config.tokensFile, logger);
  components.add(tokens);
  const thread = new PreviewThread();
  components.add({ stop: () => thread.close() });
  const check = thread.check.bind(thread);
  const database = config.clickhouseDatabase;
  const previewer = new Previewer(check, {
    ...{ warehouse, database, logger },
    erasedUpTo: (account) => erased.upTo(account),
    thresholds: config.warnings,
  });
  const lookup = lookupWithoutErased(reader, erased);
  return { log, tokens, lookup, fence, erased, clock, previewer, config, logger, viewProgress };
}

/** Only operators know for which channels an integration collects the cost. */
function warnWithoutChannels({ integratedChannels: channels }: Config, logger: Logger): void {
  integratedChannels.set(channels.length);
  if (channels.length > 0) return;
  logger.warn('INTEGRATED_CHANNELS is empty: cost can be uploaded for every channel');
}
