import { readFile, writeFile } from 'node:fs/promises';

/** Resident memory of a process in bytes, as Linux reports it. */
export function residentBytes(pid: number): Promise<number> {
  return memory(pid, 'VmRSS');
}

/** The peak of its resident memory so far, or since `forgetPeak`. */
export function mostResidentBytes(pid: number): Promise<number> {
  return memory(pid, 'VmHWM');
}

export function forgetPeak(pid: number): Promise<void> {
  return writeFile(`/proc/${pid}/clear_refs`, '5');
}

/**
 * Resident memory without pages of files. Pages that the log's memory map shows belong to the
 * system's cache, and the system takes them back when it needs them.
 */
export function anonymousBytes(pid: number): Promise<number> {
  return memory(pid, 'RssAnon');
}

/** Processor seconds that a process has used so far. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may contain spaces. User and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const TICKS_A_SECOND = 100;
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

async function memory(pid: number, field: string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`process ${pid} has no memory`);
  return Number(kilobytes) * 1024;
}
