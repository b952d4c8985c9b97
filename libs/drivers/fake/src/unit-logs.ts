import { setTimeout as pause } from 'node:timers/promises';
import type { FakeUnit } from './cloud/fake-unit.js';

const LOOK_EVERY_MS = 500;

function linesOf(unit: FakeUnit): string[] {
  const image = String(unit.attributes['image']);
  const lines = [`${unit.name} started from ${image}`];
  for (let n = 1; n <= unit.reboots; n++) lines.push(`${unit.name} restarted (${n})`);
  return lines;
}

const endOf = (unit: FakeUnit): string[] =>
  unit.state === 'stopped' ? [`${unit.name} exited with ${unit.exitCode ?? 0}`] : [];

const toText = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

export function logsOf(unit: FakeUnit, tail: number): string {
  return tail <= 0 ? '' : toText([...linesOf(unit), ...endOf(unit)].slice(-tail));
}

export interface Following {
  readonly tail: number;
  readonly signal: AbortSignal;
  readonly look: () => Promise<FakeUnit | undefined>;
}

/** The last lines, then what comes to them, until the unit is stopped or gone, or the signal fires. */
export async function* followLogs(first: FakeUnit, { tail, signal, look }: Following): AsyncGenerator<string> {
  yield logsOf(first, tail);
  let told = linesOf(first).length;
  for (let unit: FakeUnit | undefined = first; unit && unit.state !== 'stopped';) {
    try {
      await pause(LOOK_EVERY_MS, undefined, { signal });
      unit = await look();
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (!unit) return;
    const lines = linesOf(unit);
    const news = toText([...lines.slice(told), ...endOf(unit)]);
    told = lines.length;
    if (news !== '') yield news;
  }
}
