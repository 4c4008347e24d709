/**
 * What a program of the benchmarks can be told to do, from the process that measures.
 *
 * Every contestant runs in a process of its own, so that none pays for another's heap, caches or
 * event loop.
 */
export type Commands = Readonly<Record<string, (argument: never) => unknown>>;

export interface Order {
  readonly id: number;
  readonly command: string;
  readonly argument: unknown;
}

export type Outcome =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: string };

/** Carries out orders until the measuring process goes away; then this one ends as well. */
export function obey(commands: Commands): void {
  process.on('message', (order: Order) => {
    void carryOut(commands, order).then((outcome) => process.send?.(outcome));
  });
  process.on('disconnect', () => process.exit());
}

async function carryOut(commands: Commands, order: Order): Promise<Outcome> {
  const { id, command, argument } = order;
  try {
    return { id, result: await commands[command]!(argument as never) };
  } catch (error) {
    return { id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
