import { drainPending, Session } from 'chdb';

import { clearSession } from '../clear-session.js';

/**
 * Sessions on one data folder. A session runs one statement at a time; a second one would block a
 * thread of libuv's pool until the first is done. So statements wait here for a free session.
 */
export class SessionPool {
  private readonly sessions = new Set<Session>();
  private readonly free: Session[] = [];
  private readonly waiting: ((session: Session) => void)[] = [];

  /** @throws when another process has this folder open, or this process another one */
  constructor(
    private readonly folder: string,
    size: number,
    private readonly connectionArgs: readonly string[],
  ) {
    for (let i = 0; i < size; i++) this.free.push(this.open());
  }

  async run<T>(work: (session: Session) => Promise<T>): Promise<T> {
    let session = this.free.pop() ?? (await this.next());
    try {
      return await work(session);
    } catch (error) {
      if (!(await clearSession(session))) session = this.replaced(session);
      throw error;
    } finally {
      const waiting = this.waiting.shift();
      if (waiting === undefined) this.free.push(session);
      else waiting(session);
    }
  }

  /** Releases the folder. No statement may be running. */
  async close(): Promise<void> {
    for (const session of this.sessions) session.close();
    await drainPending();
  }

  private next(): Promise<Session> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private replaced(session: Session): Session {
    this.sessions.delete(session);
    session.close();
    return this.open();
  }

  private open(): Session {
    const { folder, connectionArgs } = this;
    try {
      const session = new Session(folder, { connectionArgs });
      this.sessions.add(session);
      return session;
    } catch (cause) {
      throw new Error(`the warehouse in ${folder} does not open; is it open elsewhere?`, { cause });
    }
  }
}
