/** Runs the action; resolves with `ok`, or with the reason why it failed or gave no answer in time. */
export async function attempt(action: () => Promise<void>, timeoutMs: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<string>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, `no answer within ${timeoutMs} ms`);
  });
  try {
    return await Promise.race([action().then(() => 'ok'), timeout]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
