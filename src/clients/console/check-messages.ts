import type { Answers, Detection } from '../../csv/spreadsheet/detection.js';
import type { FamilyName } from '../../domain/families/index.js';

/** What the page asks of its worker. */
export interface CheckTask {
  readonly file: File;
  readonly family: FamilyName;
  /** IANA name. */
  readonly timeZone: string;
  /** Set: the wrong rows are wanted as CSV, with those that the service named in this reason. */
  readonly annotate?: { readonly reason: string | null };
  /** Set: the file is wanted in the form of the rules, with these answers. */
  readonly convert?: Answers;
}

/** What was found in a file. */
export interface Checked {
  readonly kind: 'checked';
  /** As the service would give it; null: the file is valid. */
  readonly reason: string | null;
  readonly rows: number;
  readonly wrongRows: number;
  readonly sent: Blob;
  readonly isPackedHere: boolean;
  /** How the file would be converted; null: it is valid, or there is nothing to convert. */
  readonly detection: Detection | null;
}

export type CheckAnswer =
  | Checked
  | { readonly kind: 'converted'; readonly file: File; readonly checked: Checked }
  | { readonly kind: 'annotated'; readonly csv: Blob }
  | { readonly kind: 'unread'; readonly why: string; readonly isTooLarge: boolean };

export interface Numbered<Body> {
  readonly id: number;
  readonly body: Body;
}
