import { COST } from './cost-columns.js';
import type { Family, FamilyName } from './family.js';
import { SELF_SERVE } from './self-serve-columns.js';

export { COST } from './cost-columns.js';
export { EVENT_SOURCES, SELF_SERVE } from './self-serve-columns.js';
export {
  joinedTexts,
  keyColumns,
  ownTexts,
  rowColumns,
  textColumns,
  valueColumns,
} from './family.js';
export type { Column, Family, FamilyName, ValueKind } from './family.js';

export const FAMILIES: readonly Family[] = [COST, SELF_SERVE];

export function familyNamed(name: FamilyName): Family {
  return name === 'cost' ? COST : SELF_SERVE;
}

export function isFamilyName(text: unknown): text is FamilyName {
  return text === 'cost' || text === 'self-serve';
}
