/**
 * Resolves with the result of `work`, or with that of `late` when `work` takes longer than
 * `timeoutMs`. It goes on in either case.
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
