import type { KnownColumn } from '../../warehouse/rows/known-values.js';
import { plainForm } from './file-warnings.js';

/** An account is asked for at most once in this time. */
const KEPT_MS = 10 * 60_000;
/** Of more accounts, those that were asked for longest ago are forgotten. */
const MOST_ACCOUNTS = 100;
/** The same of all values together; some 50 MB. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** The values of a column that an account has, and one of each plain form. */
export interface Spelling {
  readonly exact: ReadonlySet<string>;
  readonly byForm: ReadonlyMap<string, string>;
}
/** By column; undefined: the account has too much of it for an answer. */
export type KnownSpelling = Readonly<Record<KnownColumn, Spelling | undefined>>;

interface Kept {
  readonly spelling: Promise<KnownSpelling>;
  /** By `performance.now()`. */
  readonly until: number;
  characters: number;
}

/** Known values of accounts. Those who come while a query is under way share its answer. */
export class KnownValuesCache {
  private readonly kept = new Map<string, Kept>();

  /** @param ask undefined: the account has too much for an answer, which is kept as well */
  constructor(
    private readonly ask: (
      account: string,
      column: KnownColumn,
    ) => Promise<readonly string[] | undefined>,
  ) {}

  /** Rejects with what `ask` rejects with. That is not kept. */
  of(account: string): Promise<KnownSpelling> {
    const known = this.kept.get(account);
    const now = performance.now();
    if (known !== undefined && now < known.until) return known.spelling;
    this.kept.delete(account);
    const kept: Kept = { spelling: this.asked(account), until: now + KEPT_MS, characters: 0 };
    this.kept.set(account, kept);
    kept.spelling.then(
      (spelling) => {
        kept.characters = charactersOf(spelling);
        this.shrink();
      },
      () => {
        if (this.kept.get(account) === kept) this.kept.delete(account);
      },
    );
    return kept.spelling;
  }

  /** One query after the other. */
  private async asked(account: string): Promise<KnownSpelling> {
    const channel = spellingOf(await this.ask(account, 'channel'));
    return { channel, os_name: spellingOf(await this.ask(account, 'os_name')) };
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

function charactersOf({ channel, os_name }: KnownSpelling): number {
  const values = [...(channel?.exact ?? []), ...(os_name?.exact ?? [])];
  return values.reduce((sum, value) => sum + value.length, 0);
}

function spellingOf(values: readonly string[] | undefined): Spelling | undefined {
  if (values === undefined) return undefined;
  return {
    exact: new Set(values),
    byForm: new Map(values.map((value) => [plainForm(value), value])),
  };
}
