import type { KnownValues } from '../../warehouse/rows/known-values.js';
import type { SpelledColumn } from './file-values.js';
import { plainForm } from './file-warnings.js';

const KEPT_MS = 10 * 60_000;
const MOST_ACCOUNTS = 100;
/** Of all accounts together; some 50 MB. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The values of a column that an account has, and one of each plain form. */
export interface Spelling {
  readonly exact: ReadonlySet<string>;
  readonly byForm: ReadonlyMap<string, string>;
}
export type KnownSpelling = Readonly<Record<SpelledColumn, Spelling>>;

interface Kept {
  readonly spelling: Promise<KnownSpelling>;
  /** By `performance.now()`. */
  readonly until: number;
  characters: number;
}

/** Known values of accounts. Each account is asked for at most once in ten minutes. */
export class KnownValuesCache {
  private readonly kept = new Map<string, Kept>();

  constructor(private readonly ask: (account: string) => Promise<KnownValues>) {}

  of(account: string): Promise<KnownSpelling> {
    const known = this.kept.get(account);
    const now = performance.now();
    if (known !== undefined && now < known.until) return known.spelling;
    this.kept.delete(account);
    const kept: Kept = { spelling: this.asked(account), until: now + KEPT_MS, characters: 0 };
    this.kept.set(account, kept);
    kept.spelling.then(
      ({ channel, os_name }) => {
        for (const value of [...channel.exact, ...os_name.exact]) kept.characters += value.length;
        this.shrink();
      },
      () => this.kept.delete(account),
    );
    return kept.spelling;
  }

  private async asked(account: string): Promise<KnownSpelling> {
    const { channel, os_name } = await this.ask(account);
    return { channel: spellingOf(channel), os_name: spellingOf(os_name) };
  }

  /** A Map keeps the order of insertion: the first account was asked for longest ago. */
  private shrink(): void {
    let characters = 0;
    for (const each of this.kept.values()) characters += each.characters;
    for (const [account, each] of this.kept) {
      if (this.kept.size <= MOST_ACCOUNTS && characters <= MOST_CHARACTERS) return;
      characters -= each.characters;
      this.kept.delete(account);
    }
  }
}

function spellingOf(values: readonly string[]): Spelling {
  return {
    exact: new Set(values),
    byForm: new Map(values.map((value) => [plainForm(value), value])),
  };
}
