/**
 * The failure that ends a component of the service. Whoever meets it reports it; the owner awaits
 * it.
 */
export class Failure {
  /** Rejects when a failure is reported; otherwise pending for ever. */
  readonly promise: Promise<never>;
  /** The first report counts. */
  readonly report: (error: unknown) => void;

  constructor() {
    let reject: (error: Error) => void = () => undefined;
    this.promise = new Promise<never>((_, rejectPromise) => {
      reject = rejectPromise;
    });
    this.report = (error) => {
      reject(error instanceof Error ? error : new Error(String(error)));
    };
    // Handled here so that a failure nobody waits for yet does not end the process by itself.
    this.promise.catch(() => undefined);
  }
}

/** What an error says; anything else that was thrown, as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of Node.js, such as `ENOENT`; undefined for any other error. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
