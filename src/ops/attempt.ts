import { messageOf } from '../domain/failure.js';
import { inTime } from '../domain/in-time.js';

/** Runs the action; resolves with `ok`, or with the reason why it failed or gave no answer in time. */
export async function attempt(action: () => Promise<void>, timeoutMs: number): Promise<string> {
  try {
    const done = action().then(() => 'ok');
    return await inTime(done, timeoutMs, () => `no answer within ${timeoutMs} ms`);
  } catch (error) {
    return messageOf(error);
  }
}
