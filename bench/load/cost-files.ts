import { mix } from './random.js';
import { NOTHING, plus, type Totals } from './totals.js';

/** Describes cost files. The same specification gives the same files on every machine. */
export interface CostSpec {
  readonly family: 'cost';
  readonly files: number;
  readonly rows: number;
  readonly rowsPerKey: number;
  /** Whether every key is in one file only; otherwise all files share some keys. */
  readonly isDisjoint?: boolean;
  /** Files of different seeds have no key in common. */
  readonly seed: number;
}

export interface Load {
  readonly files: readonly Buffer[];
  /** Totals of all rows in the files. */
  readonly sent: Totals;
  /** Totals of the rows that remain after later files have replaced the shared keys. */
  readonly kept: Totals;
}

export const COST_COLUMNS = [
  'date',
  'channel',
  'currency',
  'campaign',
  'impressions',
  'clicks',
  'cost',
  'campaign_id',
  'ad_group',
  'country',
  'os_name',
] as const;

/** Every fifth key of a file is in all files of the load. */
const SHARED_EVERY = 5;
/** Maximum size of a file in the service. */
const MAX_BYTES = 1_048_576;
export const FIRST_DAY = '2026-01-01';
const DAYS = 90;

const CHANNELS = ['newsletter', 'radio', 'tv_spot', 'podcast', 'affiliate', 'billboard'];
const CURRENCIES = ['EUR', 'USD', 'KRW', 'GBP'];
const COUNTRIES = ['de', 'fr', 'kr', 'us', 'jp'];
const AD_GROUPS = ['Leser', 'all', 'retargeting', '신규', 'früh'];
const SYSTEMS = ['Android', 'iOS'];
/** Plain, non-ASCII, quoted for its comma, quoted with quotes inside. */
const CAMPAIGNS: readonly ((name: string) => string)[] = [
  (name) => `Spring sale ${name}`,
  (name) => `Soldes d’été ${name}`,
  (name) => `"Sale, autumn ${name}"`,
  (name) => `봄 세일 ${name}`,
  (name) => `"The ""${name}"""`,
  (name) => `Brand awareness ${name}`,
];

/**
 * Files that share some of their keys, with quoted fields and non-ASCII names.
 *
 * The metrics of a row depend on its key and its place within the key, never on the file. So the
 * sums are known in advance, whichever file with a shared key is accepted last.
 */
export function costFiles(spec: CostSpec): Load {
  const files: Buffer[] = [];
  let sent = NOTHING;
  let kept = NOTHING;
  for (let file = 0; file < spec.files; file++) {
    const { bytes, own, shared } = costFile(spec, file);
    files.push(bytes);
    sent = plus(sent, plus(own, shared));
    kept = plus(kept, file === 0 ? plus(own, shared) : own);
  }
  return { files, sent, kept };
}

function costFile(spec: CostSpec, file: number): { bytes: Buffer; own: Totals; shared: Totals } {
  const { rows, rowsPerKey } = spec;
  const keys = Math.ceil(rows / rowsPerKey);
  const lines = [COST_COLUMNS.join(',')];
  const own = { ...NOTHING };
  const shared = { ...NOTHING };
  for (let row = 0; row < rows; row++) {
    // Exports may be unsorted: in every other file the rows of a key are apart.
    const key = file % 2 === 0 ? Math.floor(row / rowsPerKey) : row % keys;
    const place = file % 2 === 0 ? row % rowsPerKey : Math.floor(row / keys);
    const isShared = spec.isDisjoint !== true && key % SHARED_EVERY === 0;
    const id = isShared ? key : (file + 1) * keys + key;
    lines.push(line(spec.seed, file, id, place, isShared ? shared : own));
  }
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  if (bytes.length > MAX_BYTES) throw new Error(`a file of ${bytes.length} bytes is too large`);
  return { bytes, own, shared };
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

function line(
  seed: number,
  file: number,
  id: number,
  place: number,
  totals: Mutable<Totals>,
): string {
  const random = mix(seed, id * 64 + place);
  const impressions = random % 100_000;
  const clicks = random % 1_999;
  const costCents = random % 1_000_003;
  totals.rows++;
  totals.impressions += impressions;
  totals.clicks += clicks;
  totals.costCents += costCents;
  const campaign = CAMPAIGNS[id % CAMPAIGNS.length]!(`${seed}-${id}`);
  // The key is the day, the channel and the campaign. The rest may differ from file to file.
  return [
    dayText(id % DAYS),
    CHANNELS[id % CHANNELS.length],
    CURRENCIES[(id + place) % CURRENCIES.length],
    campaign,
    impressions,
    clicks,
    (costCents / 100).toFixed(2),
    `cmp-${seed}-${id}`,
    AD_GROUPS[(random >>> 8) % AD_GROUPS.length]!,
    COUNTRIES[(place + file) % COUNTRIES.length],
    SYSTEMS[(random >>> 5) % SYSTEMS.length],
  ].join(',');
}

const dayTexts = Array.from({ length: DAYS }, (_, day) =>
  new Date(Date.parse(FIRST_DAY) + day * 86_400_000).toISOString().slice(0, 10),
);

function dayText(day: number): string {
  return dayTexts[day]!;
}
