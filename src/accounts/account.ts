export const ACCOUNT_ROLES = [
  'owner',
  'in_house_marketer',
  'agency',
  'media_company',
  'viewer',
] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];

/** The roles whose tokens may create and read upload requests. */
export const UPLOADING_ROLES: ReadonlySet<AccountRole> = new Set(['owner', 'in_house_marketer']);

/** Account names go into log lines, headers and URLs as they are, so they are plain words. */
export const ACCOUNT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export interface TokenHolder {
  /** The token's own identifier, safe to show and to log. */
  readonly tokenId: string;
  readonly account: string;
  readonly role: AccountRole;
  /** IANA name of the time zone in which the account's days begin and end. */
  readonly timeZone: string;
}
