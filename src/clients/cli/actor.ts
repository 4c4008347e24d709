import { userInfo } from 'node:os';

/** Who runs the command, as the audit names it. */
export function actor(): string {
  try {
    return `operator:${userInfo().username}`;
  } catch {
    // A container's user may have a number only.
    return `operator:${process.getuid?.() ?? 'unknown'}`;
  }
}
