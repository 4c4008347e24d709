import type { FamilyName } from '../../domain/families/index.js';

/** What the page asks of its worker. */
export interface CheckTask {
  readonly file: File;
  readonly family: FamilyName;
  /** IANA name. */
  readonly timeZone: string;
  /** Set: the wrong rows are wanted as CSV, with those that the service named in this reason. */
  readonly annotate?: { readonly reason: string | null };
}

export type CheckAnswer =
  | {
      readonly kind: 'checked';
      /** As the service would give it; null: the file is valid. */
      readonly reason: string | null;
      readonly rows: number;
      readonly wrongRows: number;
      readonly sent: Blob;
      readonly isPackedHere: boolean;
    }
  | { readonly kind: 'annotated'; readonly csv: Blob }
  | { readonly kind: 'unread'; readonly why: string; readonly isTooLarge: boolean };

export interface Numbered<Body> {
  readonly id: number;
  readonly body: Body;
}
