/**
 * What `work` resolves with, or what `late` returns when that takes longer than `timeoutMs`. The work
 * goes on either way.
 *
 * @throws whatever `work` or `late` throws first
 */
export async function inTime<T, L>(
  work: Promise<T>,
  timeoutMs: number,
  late: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, timeoutMs);
  });
  try {
    return await Promise.race([work, timeout.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}
