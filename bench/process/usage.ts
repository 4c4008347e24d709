import { readFile } from 'node:fs/promises';

/** Bytes of memory that a process has resident, by Linux. */
export function residentBytes(pid: number): Promise<number> {
  return memory(pid, 'VmRSS');
}

/** The most that it has had resident so far. */
export function mostResidentBytes(pid: number): Promise<number> {
  return memory(pid, 'VmHWM');
}

/**
 * What is resident without pages of files: what the log's map shows of its file is the system's
 * cache, which it takes back when it needs it.
 */
export function anonymousBytes(pid: number): Promise<number> {
  return memory(pid, 'RssAnon');
}

/** Seconds of processor time that a process has used so far. */
export async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces; user and system time are the 14th and 15th field.
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
