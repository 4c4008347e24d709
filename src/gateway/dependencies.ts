import type { TokenFile } from '../accounts/token-lookup.js';
import type { Config } from '../config/config.js';
import type { ErasedUploads } from '../domain/erased-uploads.js';
import type { AcceptanceFence, RequestLookup } from '../status/request-lookup.js';
import type { VersionClock } from '../domain/version.js';
import type { UploadLog } from '../log/upload-log.js';
import type { Logger } from '../ops/logger.js';
import type { Previewer } from '../preview/previewer.js';

/** What the gateway needs of the rest of the service. */
export interface GatewayDependencies {
  readonly log: UploadLog;
  readonly tokens: Pick<TokenFile, 'holderOf'>;
  readonly lookup: RequestLookup;
  readonly fence: AcceptanceFence;
  readonly erased: ErasedUploads;
  readonly clock: VersionClock;
  readonly previewer: Pick<Previewer, 'preview'>;
  readonly config: GatewayConfig;
  readonly logger: Logger;
}

export type GatewayConfig = Pick<Config, 'integratedChannels' | 'limits'>;

/** Injection tokens, because interfaces do not exist at run time. */
export const UPLOAD_LOG = Symbol('UploadLog');
export const TOKENS = Symbol('Tokens');
export const REQUEST_LOOKUP = Symbol('RequestLookup');
export const ACCEPTANCE_FENCE = Symbol('AcceptanceFence');
export const ERASED_UPLOADS = Symbol('ErasedUploads');
export const VERSION_CLOCK = Symbol('VersionClock');
export const PREVIEWER = Symbol('Previewer');
export const GATEWAY_CONFIG = Symbol('GatewayConfig');
export const LOGGER = Symbol('Logger');
