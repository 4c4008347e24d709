import { cpus, loadavg, totalmem } from 'node:os';

/** The machine of the measurement, and how busy it was: other work makes the figures noisy. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const [load] = loadavg();
  return [
    new Date().toISOString().slice(0, 10),
    `${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'})`,
    `${memory} GiB`,
    `Node ${process.version}`,
    `load average before ${load!.toFixed(1)}`,
  ].join(', ');
}
