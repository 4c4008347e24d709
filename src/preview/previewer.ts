import { type Family, familyNamed } from '../domain/families/index.js';
import type { WarningThresholds } from '../domain/warning-thresholds.js';
import type { Logger } from '../ops/logger.js';
import { askForMemory } from '../warehouse/rows/preview-queries.js';
import { type Comparison, compareKeys } from '../warehouse/rows/compare-keys.js';
import { storedDayTotals } from '../warehouse/rows/day-totals.js';
import { archivedAmong, knownValues } from '../warehouse/rows/known-values.js';
import { identifier } from '../warehouse/sql.js';
import { isOverLimits, type Warehouse, WarehouseError } from '../warehouse/warehouse.js';
import type { CheckedFile, FileToCheck, PreviewedFile } from './check-file.js';
import type { Preview, Warning } from './answer.js';
import { invalid, previewOf } from './preview.js';
import {
  archivedWarnings,
  comparisonWarnings,
  spellingWarnings,
} from './warnings/account-warnings.js';
import { KnownValuesCache } from './warnings/known-values-cache.js';
import { unusualTotals } from './warnings/unusual-totals.js';

/** The warehouse is away, or has no time or no memory now. */
export class PreviewUnavailableError extends Error {
  override readonly name = 'PreviewUnavailableError';
}

export interface PreviewerOptions {
  readonly warehouse: Warehouse;
  readonly database: string;
  /** The last version of the account that is erased, or 0. Its rows may still be stored. */
  readonly erasedUpTo: (account: string) => bigint;
  readonly logger: Logger;
  readonly thresholds: WarningThresholds;
}

/** No question begins later: the answer is due after ten seconds, and most questions take six. */
const ASKS_FOR_MS = 4_000;

type ValidFile = Extract<CheckedFile, { valid: true }>;

/** Says what an upload of a file would do, without writing anything. */
export class Previewer {
  private readonly database: string;
  private readonly known: KnownValuesCache;

  /** @param check see `PreviewThread` */
  constructor(
    private readonly check: (file: FileToCheck, signal: AbortSignal) => Promise<CheckedFile>,
    private readonly options: PreviewerOptions,
  ) {
    const { warehouse, erasedUpTo } = options;
    this.database = identifier(options.database);
    this.known = new KnownValuesCache((account, column) =>
      this.unlessTooLarge(
        knownValues(warehouse, this.database, account, column, erasedUpTo(account)),
      ),
    );
  }

  /**
   * @param signal gives up before the next step; a query that has begun ends by itself
   * @throws PreviewUnavailableError, and the signal's reason
   */
  async preview(file: PreviewedFile, signal: AbortSignal): Promise<Preview> {
    const asksUntil = performance.now() + ASKS_FOR_MS;
    const mayAsk = (): boolean => {
      signal.throwIfAborted();
      return performance.now() < asksUntil;
    };
    signal.throwIfAborted();
    const { thresholds } = this.options;
    const checked = await this.check({ ...file, thresholds }, signal);
    const asOf = new Date().toISOString().slice(0, 19);
    if (!checked.valid) return invalid(checked.reason, asOf);
    const family = familyNamed(file.family);
    try {
      const comparisons = await this.compared(family, file.account, checked, mayAsk);
      const warnings = await this.warningsOf(family, file.account, checked, comparisons, mayAsk);
      return previewOf(family, checked, comparisons, warnings, asOf);
    } catch (cause) {
      if (!(cause instanceof WarehouseError)) throw cause;
      const { code } = cause;
      this.options.logger.warn({ code }, 'a preview cannot ask the warehouse');
      throw new PreviewUnavailableError('the warehouse does not answer', { cause });
    }
  }

  /** Undefined: the file is too large to compare, or the warehouse is too slow for it now. */
  private async compared(
    family: Family,
    account: string,
    { blocks }: ValidFile,
    mayAsk: () => boolean,
  ): Promise<readonly Comparison[] | undefined> {
    if (blocks === undefined) return undefined;
    const { warehouse, erasedUpTo } = this.options;
    const comparisons: Comparison[] = [];
    for (const block of blocks) {
      if (!mayAsk()) return undefined;
      const comparison = await this.unlessTooLarge(
        compareKeys(warehouse, this.database, family, block, erasedUpTo(account)),
      );
      if (comparison === undefined) return undefined;
      comparisons.push(comparison);
    }
    return comparisons;
  }

  private async warningsOf(
    family: Family,
    account: string,
    { keys, warnings: ofFile, values, keyBlock }: ValidFile,
    comparisons: readonly Comparison[] | undefined,
    mayAsk: () => boolean,
  ): Promise<Warning[]> {
    const { warehouse, erasedUpTo, thresholds } = this.options;
    const warnings = [...ofFile];
    if (values === undefined) return warnings;
    if (mayAsk()) warnings.push(...spellingWarnings(values, await this.known.of(account)));
    if (values.metrics.size > 0 && mayAsk()) {
      const metrics = [...values.metrics.keys()];
      const archived = await this.unlessTooLarge(
        archivedAmong(warehouse, this.database, account, metrics),
      );
      if (archived !== undefined) warnings.push(...archivedWarnings(values, archived));
    }
    if (comparisons !== undefined) {
      warnings.push(...comparisonWarnings(values, keys, comparisons));
    }
    // The totals leave out the keys of a block: it has to have all of them.
    if (comparisons !== undefined && keyBlock !== undefined && mayAsk()) {
      const { database } = this;
      const { usualDays } = thresholds;
      const stored = await this.unlessTooLarge(
        storedDayTotals(warehouse, database, family, keyBlock, usualDays, erasedUpTo(account)),
      );
      if (stored !== undefined) {
        warnings.push(...unusualTotals(family, values, stored, thresholds));
      }
    }
    return warnings;
  }

  /** Undefined: the query would need too much. The preview goes on without its answer. */
  private async unlessTooLarge<T>(query: Promise<T>): Promise<T | undefined> {
    try {
      return await query;
    } catch (error) {
      if (!(error instanceof WarehouseError) || !isOverLimits(error)) throw error;
      if (error.failure === 'memory') await askForMemory(this.options.warehouse);
      this.options.logger.warn({ code: error.code }, 'a preview goes on without a query');
      return undefined;
    }
  }
}
