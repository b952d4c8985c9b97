import { readFile } from 'node:fs/promises';

/** What the processes of a product use: the seconds of CPU so far, and the bytes of resident memory now. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentBytes: number;
}

/** Returns what these processes use together. */
export async function usageOf(pids: readonly number[]): Promise<Usage> {
  const cpu = await Promise.all(pids.map(cpuSeconds));
  const resident = await Promise.all(pids.map(residentBytes));
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  return { cpuSeconds: sum(cpu), residentBytes: sum(resident) };
}

async function residentBytes(pid: number): Promise<number> {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Returns the CPU seconds that a process has used so far. */
export async function cpuSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
