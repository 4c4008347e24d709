import { tooSlow, uploadNotTaken, type Problem } from '../../http/problem.js';

/** A client that sends nothing for this part of the upload deadline is given up. */
const IDLE_SHARE = 1 / 4;

/**
 * Gives up on a client that stops sending, or that takes longer than the upload deadline. The time
 * that the service itself holds the client back is not held against it.
 */
export class Patience {
  private held = false;
  private readonly idle: NodeJS.Timeout;
  private readonly deadline: NodeJS.Timeout;

  constructor(deadlineMs: number, giveUp: (reason: Problem) => void) {
    this.idle = setTimeout(() => {
      if (this.held) this.idle.refresh();
      else giveUp(tooSlow());
    }, deadlineMs * IDLE_SHARE);
    this.deadline = setTimeout(() => {
      giveUp(this.held ? uploadNotTaken() : tooSlow());
    }, deadlineMs);
  }

  /** The client sends. */
  renew(): void {
    this.held = false;
    this.idle.refresh();
  }

  /** The client waits for the service. */
  hold(): void {
    this.held = true;
  }

  stop(): void {
    clearTimeout(this.idle);
    clearTimeout(this.deadline);
  }
}
