/** What goes wrong with a request, until its turns are used up or the fault is taken back. */
export interface Fault {
  readonly kind:
    /** Neither carried out nor answered. */
    | 'hang'
    /** Carried out, and never answered. */
    | 'hang-after'
    /** Not carried out, 500 without a word of ClickHouse's. */
    | 'fail'
    /** Carried out, then the same. */
    | 'fail-after'
    /** The connection ends inside the request, of which nothing is carried out. */
    | 'cut-request'
    /** Carried out, then the connection ends inside the answer. */
    | 'cut-answer'
    /** Not carried out, an exception with its status. */
    | 'exception'
    /** Not carried out, 200 with an exception named in a header. */
    | 'exception-in-header'
    /** Not carried out, 200 with an exception at the end of the body. */
    | 'exception-in-body'
    /** Carried out after a while. */
    | 'slow'
    /** Answered as if it had been carried out, by a server that then loses what it took. */
    | 'lost';
  /** Which requests; absent: all. */
  readonly on?: 'insert' | 'other';
  /** How many of them; absent: until the fault is taken back. */
  readonly times?: number;
  /** ClickHouse's code of the exceptions; absent: 159, TIMEOUT_EXCEEDED. */
  readonly code?: number;
  /** Of `slow`. */
  readonly delayMs?: number;
}

/** The fault that is set, and how often it may still strike. */
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
