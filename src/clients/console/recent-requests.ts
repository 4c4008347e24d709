import { type FamilyName, isFamilyName } from '../../domain/families/index.js';
import { isUuid } from '../../domain/request-id.js';
import { isStatus, rankOf, type Status } from '../../status/transition.js';

/** What the browser keeps of a request: not the token, and of the file only its name. */
export interface RecentRequest {
  readonly requestId: string;
  readonly family: FamilyName;
  readonly fileName: string;
  readonly status: Status;
  /** UTC, `YYYY-MM-DDTHH:MM:SS`. */
  readonly createdAt: string;
}

const KEY = 'custom-data.recent-requests';
const MOST = 50;

/**
 * The requests that this browser made last, the latest first. Where the browser keeps nothing (a
 * private window, a policy), they last as long as the page.
 */
export class RecentRequests {
  private fallback: readonly RecentRequest[] = [];

  all(): readonly RecentRequest[] {
    try {
      // Read each time: other tabs write there too.
      return parsed(localStorage.getItem(KEY));
    } catch {
      return this.fallback;
    }
  }

  add(request: RecentRequest): void {
    this.keep([request, ...this.all()].slice(0, MOST));
  }

  /** Remembers the state of a request, unless it is forgotten or further already. */
  move(requestId: string, status: Status): void {
    const all = this.all();
    const index = all.findIndex((request) => request.requestId === requestId);
    const request = all[index];
    if (request === undefined || rankOf(status) <= rankOf(request.status)) return;
    this.keep(all.with(index, { ...request, status }));
  }

  clear(): void {
    this.fallback = [];
    try {
      localStorage.removeItem(KEY);
    } catch {
      // As below.
    }
  }

  private keep(requests: readonly RecentRequest[]): void {
    this.fallback = requests;
    try {
      localStorage.setItem(KEY, JSON.stringify(requests));
    } catch {
      // Nothing is kept beyond the page, as everywhere else in that browser.
    }
  }
}

/** Anything malformed counts as an empty list. */
function parsed(text: string | null): readonly RecentRequest[] {
  if (text === null) return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  return Array.isArray(value) ? value.filter(isRequest).slice(0, MOST) : [];
}

function isRequest(value: unknown): value is RecentRequest {
  if (typeof value !== 'object' || value === null) return false;
  const { requestId, family, fileName, status, createdAt } = value as Record<string, unknown>;
  return (
    typeof requestId === 'string' &&
    isUuid(requestId) &&
    isFamilyName(family) &&
    typeof fileName === 'string' &&
    isStatus(status) &&
    typeof createdAt === 'string'
  );
}
