import { Counter, Gauge, Histogram } from 'prom-client';

import { FAMILIES } from '../domain/families/index.js';

/**
 * Every metric of the service. Labels are few and closed sets: never an account, a request, a
 * column or a value. Durations are seconds, sizes are bytes.
 */
export { register as registry } from 'prom-client';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60, 600];

export const httpRequests = new Counter({
  name: 'custom_data_http_requests_total',
  help: 'Answered API requests by operation (create, read, preview), family and HTTP status code.',
  labelNames: ['operation', 'family', 'code'] as const,
});

export const httpDuration = new Histogram({
  name: 'custom_data_http_request_duration_seconds',
  help: 'From the head of an API request until its answer, by operation, family and HTTP status code; a create includes the time in which the client sends, a read leaves out the time that it was asked to wait.',
  labelNames: ['operation', 'family', 'code'] as const,
  buckets: SECONDS,
});

export const uploadBytes = new Counter({
  name: 'custom_data_upload_bytes_total',
  help: 'Unpacked CSV bytes of accepted uploads.',
  labelNames: ['family'] as const,
});

export const uploadsReceiving = new Gauge({
  name: 'custom_data_uploads_receiving',
  help: 'Uploads whose body is being read by this gateway now.',
});

export const readsWaiting = new Gauge({
  name: 'custom_data_reads_waiting',
  help: 'Reads that wait in this gateway now for a request to change its state (Prefer: wait).',
});

export const transitions = new Counter({
  name: 'custom_data_transitions_total',
  help: 'Transitions of upload requests published by this process.',
  labelNames: ['family', 'status'] as const,
});

export const rowsValidated = new Counter({
  name: 'custom_data_rows_validated_total',
  help: 'Data rows of files that passed validation.',
  labelNames: ['family'] as const,
});

export const rowsStored = new Counter({
  name: 'custom_data_rows_stored_total',
  help: 'Data rows that the warehouse acknowledged.',
  labelNames: ['family'] as const,
});

export const stageDuration = new Histogram({
  name: 'custom_data_stage_duration_seconds',
  help: 'Time spent in one stage: receive, validate, insert, read_back, publish, commit.',
  labelNames: ['stage'] as const,
  buckets: SECONDS,
});

export const batchRows = new Histogram({
  name: 'custom_data_batch_rows',
  help: 'Data rows of one batch written to the warehouse.',
  labelNames: ['family'] as const,
  buckets: [1, 10, 100, 1_000, 10_000, 50_000, 100_000, 250_000, 500_000, 1_000_000],
});

export const batchUploads = new Histogram({
  name: 'custom_data_batch_uploads',
  help: 'Uploads in one batch written to the warehouse.',
  labelNames: ['family'] as const,
  buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
});

export const timeToVisible = new Histogram({
  name: 'custom_data_time_to_visible_seconds',
  help: 'From the acceptance of an upload until its rows were read back.',
  labelNames: ['family'] as const,
  buckets: SECONDS,
});

export const consumerLag = new Gauge({
  name: 'custom_data_consumer_lag_records',
  help: 'Records in the partition behind the committed watermark of the group, as far as the log still keeps them.',
  labelNames: ['topic', 'group', 'partition'] as const,
});

export const consumerLagSeconds = new Gauge({
  name: 'custom_data_consumer_lag_seconds',
  help: 'Age of the first record that custom_data_consumer_lag_records counts; 0 when there is none.',
  labelNames: ['topic', 'group', 'partition'] as const,
});

export const openUploads = new Gauge({
  name: 'custom_data_open_uploads',
  help: 'Uploads whose end is not yet read by this ingest process.',
});

export const columnMemoryBytes = new Gauge({
  name: 'custom_data_column_memory_bytes',
  help: 'Room for the columns of large uploads that this ingest process keeps, by state (lent, free). It takes memory where files have reached.',
  labelNames: ['state'] as const,
});

export const openUploadBytes = new Gauge({
  name: 'custom_data_open_upload_bytes',
  help: 'Bytes of open uploads held by this ingest process, by place (memory, disk).',
  labelNames: ['place'] as const,
});

export const uploadsInFlight = new Gauge({
  name: 'custom_data_uploads_in_flight',
  help: 'Complete uploads in this ingest process that are not yet succeeded or failed.',
});

export const uploadsShortOfMemory = new Gauge({
  name: 'custom_data_uploads_short_of_memory',
  help: 'Uploads in this ingest process that the warehouse had no memory for, each alone, and that wait for it.',
});

export const requests = new Gauge({
  name: 'custom_data_requests',
  help: 'Upload requests of the last 30 days by the state they are in, by the durable history: accepted is the sum.',
  labelNames: ['family', 'status'] as const,
});

export const requestsCountedFrom = new Gauge({
  name: 'custom_data_requests_counted_from_seconds',
  help: 'The beginning of the day (UTC) from which on requests are counted, in Unix time; 0 in processes that count none.',
});

export const oldestUnfinished = new Gauge({
  name: 'custom_data_oldest_unfinished_request_age_seconds',
  help: 'Age of the oldest upload request of the last 30 days that is neither succeeded nor failed, by the durable history; 0 when there is none.',
  labelNames: ['family'] as const,
});

export const requestRows = new Gauge({
  name: 'custom_data_request_rows',
  help: 'Data rows of succeeded requests of the last 30 days by the step they have passed (validated, stored, read_back), by the durable history: all three are equal.',
  labelNames: ['family', 'step'] as const,
});

export const objectiveUploads = new Gauge({
  name: 'custom_data_objective_uploads',
  help: 'Uploads that ended or were due within the window, by objective (visible_in_10s, visible_in_10m) and window (5m, 30m, 1h, 6h, 3d, 30d), by the durable history.',
  labelNames: ['objective', 'window'] as const,
});

export const objectiveUploadsLate = new Gauge({
  name: 'custom_data_objective_uploads_late',
  help: 'Uploads of custom_data_objective_uploads that had not ended when they were due.',
  labelNames: ['objective', 'window'] as const,
});

export const deadLetters = new Counter({
  name: 'custom_data_dead_letters_total',
  help: 'Uploads that this process has set aside, by cause (rejected, crash, exception).',
  labelNames: ['family', 'cause'] as const,
});

export const logErrors = new Counter({
  name: 'custom_data_log_errors_total',
  help: 'Failed operations of the log, by operation.',
  labelNames: ['operation'] as const,
});

export const logRefusals = new Counter({
  name: 'custom_data_log_refusals_total',
  help: 'Times that the brokers refused a login, a right or a secure connection, by operation (append, read, consume, tail).',
  labelNames: ['operation'] as const,
});

export const warehouseErrors = new Counter({
  name: 'custom_data_warehouse_errors_total',
  help: 'Failed statements of the warehouse, by class (retry, memory, rejected), without those of previews that need too much.',
  labelNames: ['class'] as const,
});

export const warehouseRefusals = new Counter({
  name: 'custom_data_warehouse_refusals_total',
  help: 'Statements that the ClickHouse server refused for the credentials, the rights or the certificates, not for what they say.',
});

export const historyDeletionFailures = new Counter({
  name: 'custom_data_history_deletion_failures_total',
  help: 'Attempts to delete old history that the warehouse failed or refused; one an hour.',
  labelNames: ['table'] as const,
});

export const measurementFailures = new Counter({
  name: 'custom_data_measurement_failures_total',
  help: 'Measurements for a scrape that failed or took too long, by what was measured (lag, history, objectives, disk).',
  labelNames: ['measurement'] as const,
});

export const diskFree = new Gauge({
  name: 'custom_data_disk_free_bytes',
  help: 'Bytes that the service may still write to the file system of DATA_DIR.',
});

export const diskSize = new Gauge({
  name: 'custom_data_disk_size_bytes',
  help: 'Size of the file system of DATA_DIR.',
});

export const processInfo = new Gauge({
  name: 'custom_data_process_info',
  help: 'Always 1, for a process that has finished its start, with its roles as a comma-separated list.',
  labelNames: ['roles'] as const,
});

export const processReady = new Gauge({
  name: 'custom_data_process_ready',
  help: '1 if the process is ready for work, as /health/ready says, otherwise 0.',
});

export const integratedChannels = new Gauge({
  name: 'custom_data_integrated_channels',
  help: 'Channels of INTEGRATED_CHANNELS, whose cost cannot be uploaded; 0 also in processes without a gateway.',
});

// Prometheus sees no increase of a counter that first appears as 1.
for (const { name: family } of FAMILIES) {
  for (const cause of ['rejected', 'crash', 'exception']) deadLetters.inc({ family, cause }, 0);
  for (const status of ['validated', 'ingested', 'succeeded', 'failed']) {
    transitions.inc({ family, status }, 0);
  }
  for (const code of ['201', '500', '503']) {
    httpRequests.inc({ operation: 'create', family, code }, 0);
  }
  // The objective of reads counts these.
  httpDuration.zero({ operation: 'read', family, code: '200' });
}
for (const failure of ['retry', 'memory', 'rejected']) warehouseErrors.inc({ class: failure }, 0);
for (const operation of ['append', 'commit', 'consume', 'poll', 'retention', 'tail']) {
  logErrors.inc({ operation }, 0);
}
for (const operation of ['append', 'read', 'consume', 'tail']) logRefusals.inc({ operation }, 0);
