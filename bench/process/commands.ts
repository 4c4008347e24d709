/**
 * The commands that the measuring process can send to a benchmark program.
 *
 * Every contestant has its own process, so that none pays for another's heap, caches or event loop.
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

/** Executes orders until the measuring process is gone, then exits. */
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
