import { costRows } from '../files/cost-rows.js';
import type { ServiceProcess } from './service-process.js';
import { COST, csvOf } from '../model/warehouse-model.js';

/** Uploads that have a first chunk but no end. */

export const ACCOUNT = 'acme';
/** With these settings an upload without an end is dropped after 12 seconds. */
export const SHORT = { UPLOAD_DEADLINE_SECONDS: '1', LOG_TIMEOUT_SECONDS: '1' };
/** So many campaigns make a file of several chunks. */
export const CAMPAIGNS = Array.from({ length: 9_000 }, (_, i) => `campaign ${i}`);
export const FILE = csvOf(COST, costRows(CAMPAIGNS, 1));

export const openUploads = (ingest: ServiceProcess): Promise<number> =>
  ingest.metric('custom_data_open_uploads');
export const lag = (service: ServiceProcess): Promise<number> =>
  service.metric('custom_data_consumer_lag_records', 'topic="uploads"');
