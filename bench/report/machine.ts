import { cpus, loadavg, totalmem } from 'node:os';

/** What the figures were measured on, and how busy it was: others' work makes them noise. */
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
