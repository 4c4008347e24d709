import { Child } from '../process/child.js';
import type { GeneratorCommands, Prepared, Timed } from './generator.js';
import type { LoadSpec } from './load.js';

/** Above this share of a core, the generator may be what is measured. */
const SATURATED = 0.9;

/** The generator as the measuring process sees it. It remembers how busy the generator was. */
export class LoadGenerator {
  readonly program = Child.start<GeneratorCommands>('load/generator');
  private busiest = 0;

  prepare(load: LoadSpec): Promise<Prepared> {
    return this.program.call('prepare', load);
  }

  /** Records how much of a core the generator used. */
  note<T>(timed: Timed<T>): Timed<T> {
    this.busiest = Math.max(this.busiest, timed.cpuSeconds / timed.seconds);
    return timed;
  }

  /** For the table: the highest share of a core that it used since the last call. */
  usage(): string {
    const { busiest } = this;
    this.busiest = 0;
    const percent = `generator at most ${Math.round(busiest * 100)} % of a core`;
    return busiest > SATURATED ? `${percent}: SATURATED` : percent;
  }

  async end(): Promise<void> {
    await this.program.end();
  }
}
