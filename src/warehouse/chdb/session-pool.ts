import { drainPending, Session } from 'chdb';

/**
 * Sessions on one data folder. A session runs one statement at a time and a second one would block
 * a thread of libuv's pool until the first is done, so what finds no free session waits here.
 */
export class SessionPool {
  private readonly sessions: readonly Session[];
  private readonly free: Session[];
  private readonly waiting: ((session: Session) => void)[] = [];

  /** @throws when another process has this folder open, or this process another one */
  constructor(folder: string, size: number, connectionArgs: readonly string[]) {
    try {
      this.sessions = Array.from({ length: size }, () => new Session(folder, { connectionArgs }));
    } catch (cause) {
      throw new Error(`the warehouse in ${folder} does not open; is it open elsewhere?`, { cause });
    }
    this.free = [...this.sessions];
  }

  async run<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = this.free.pop() ?? (await this.next());
    try {
      return await work(session);
    } finally {
      const waiting = this.waiting.shift();
      if (waiting === undefined) this.free.push(session);
      else waiting(session);
    }
  }

  /** Lets go of the folder. No statement may be running. */
  async close(): Promise<void> {
    for (const session of this.sessions) session.close();
    await drainPending();
  }

  private next(): Promise<Session> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
