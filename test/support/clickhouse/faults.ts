/** A fault to inject into requests, until `times` is used up or the test removes the fault. */
export interface Fault {
  readonly kind:
    /** Not executed, not answered. */
    | 'hang'
    /** Executed, but never answered. */
    | 'hang-after'
    /** Not executed, answered 500 with a body that is not ClickHouse's. */
    | 'fail'
    /** Executed, then answered like `fail`. */
    | 'fail-after'
    /** The connection closes in the middle of the request; nothing is executed. */
    | 'cut-request'
    /** Executed, then the connection closes in the middle of the answer. */
    | 'cut-answer'
    /** Not executed, answered with an exception and its HTTP status. */
    | 'exception'
    /** Not executed, answered 200 with an exception in a header. */
    | 'exception-in-header'
    /** Not executed, answered 200 with an exception at the end of the body. */
    | 'exception-in-body'
    /** Executed after a delay. */
    | 'slow'
    /** Answered as if executed, but the server loses the data. */
    | 'lost';
  /** Which requests to hit; absent: all. */
  readonly on?: 'insert' | 'other';
  /** How many requests to hit; absent: all until the test removes the fault. */
  readonly times?: number;
  /** ClickHouse's error code in exceptions; absent: 159, TIMEOUT_EXCEEDED. */
  readonly code?: number;
  /** The delay of `slow`. */
  readonly delayMs?: number;
}

/** The active fault, and how often it may still strike. */
export class Faults {
  private fault: Fault | undefined;
  private left = 0;
  /** How often any fault has struck. */
  struck = 0;

  set(fault: Fault | undefined): void {
    this.fault = fault;
    this.left = fault?.times ?? Infinity;
  }

  next(isInsert: boolean): Fault | undefined {
    const { fault } = this;
    if (fault === undefined || this.left === 0) return undefined;
    if (fault.on !== undefined && (fault.on === 'insert') !== isInsert) return undefined;
    this.left--;
    this.struck++;
    return fault;
  }
}
