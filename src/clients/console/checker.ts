import type { CheckAnswer, CheckTask, Numbered } from './check-messages.js';

/** The page's side of the worker that judges files. */
export class Checker {
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, (answer: CheckAnswer) => void>();
  private tasks = 0;

  ask(task: CheckTask): Promise<CheckAnswer> {
    const id = this.tasks++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      const numbered: Numbered<CheckTask> = { id, body: task };
      this.running().postMessage(numbered);
    });
  }

  private running(): Worker {
    if (this.worker !== undefined) return this.worker;
    const worker = new Worker(new URL('./check-worker.js', import.meta.url), { type: 'module' });
    worker.addEventListener('message', ({ data }: MessageEvent<Numbered<CheckAnswer>>) => {
      this.answer(data.id, data.body);
    });
    worker.addEventListener('error', () => {
      // It could not be loaded, or ended: the next file gets a new one.
      worker.terminate();
      this.worker = undefined;
      const why = 'The file could not be checked here. The service checks it in any case.';
      for (const id of this.waiting.keys()) {
        this.answer(id, { kind: 'unread', why, isTooLarge: false });
      }
    });
    this.worker = worker;
    return worker;
  }

  private answer(id: number, answer: CheckAnswer): void {
    this.waiting.get(id)?.(answer);
    this.waiting.delete(id);
  }
}
