import 'reflect-metadata';
import { plainToInstance, Type } from 'class-transformer';
import {
  IsArray,
  IsIn,
  IsISO8601,
  IsOptional,
  Matches,
  ValidateBy,
  ValidateNested,
  validateSync,
  type ValidationError,
} from 'class-validator';
import { isTimeZone } from '../domain/days.js';
import { messageOf } from '../domain/failure.js';
import { ACCOUNT_NAME, ACCOUNT_ROLES, type AccountRole } from './account.js';
import { readIfThere } from './read-if-there.js';

/** One token as it is stored: its hash, never the token. Times are ISO 8601 in UTC. */
export interface TokenRecord {
  readonly id: string;
  /** SHA-256 of the whole token, in lowercase hexadecimal digits. */
  readonly sha256: string;
  readonly account: string;
  readonly role: AccountRole;
  readonly timeZone: string;
  readonly createdAt: string;
  /** Null or absent while the token is valid. */
  readonly revokedAt?: string | null;
}

class TokenRecordRules implements TokenRecord {
  @Matches(/^[a-z0-9]{1,64}$/)
  readonly id!: string;

  @Matches(/^[0-9a-f]{64}$/)
  readonly sha256!: string;

  @Matches(ACCOUNT_NAME)
  readonly account!: string;

  @IsIn(ACCOUNT_ROLES)
  readonly role!: AccountRole;

  @ValidateBy({ name: 'isTimeZoneName', validator: { validate: isTimeZone } })
  readonly timeZone!: string;

  @IsISO8601()
  readonly createdAt!: string;

  @IsOptional()
  @IsISO8601()
  readonly revokedAt?: string | null;
}

class TokenRecords {
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => TokenRecordRules)
  readonly tokens!: TokenRecordRules[];
}

/**
 * Every token of the file, revoked ones too, in the order of their creation; none without a file.
 *
 * @throws Error for half a file, another shape, or an identifier or hash that occurs twice. The
 * message is one line and shows no hash
 */
export async function listTokens(path: string): Promise<readonly TokenRecord[]> {
  try {
    const text = await readIfThere(path);
    return text === undefined ? [] : recordsOf(text);
  } catch (error) {
    throw new Error(`the tokens file ${path} cannot be used: ${messageOf(error)}`);
  }
}

function recordsOf(text: string): readonly TokenRecord[] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text.
    throw new Error('it is not JSON');
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error('it is not an object with the list "tokens"');
  }
  const records = plainToInstance(TokenRecords, content);
  const [error] = validateSync(records, { stopAtFirstError: true });
  if (error !== undefined) throw new Error(`${pathOf(error)} is missing or invalid`);
  refuseTwins(records.tokens);
  return records.tokens;
}

export function formatTokenRecords(tokens: readonly TokenRecord[]): string {
  return `${JSON.stringify({ tokens }, null, 2)}\n`;
}

function refuseTwins(tokens: readonly TokenRecord[]): void {
  for (const property of ['id', 'sha256'] as const) {
    if (new Set(tokens.map((token) => token[property])).size < tokens.length) {
      throw new Error(`two tokens have the same ${property}`);
    }
  }
}

/** As `tokens.3.role`. */
function pathOf(error: ValidationError): string {
  const [child] = error.children ?? [];
  return child === undefined ? error.property : `${error.property}.${pathOf(child)}`;
}
