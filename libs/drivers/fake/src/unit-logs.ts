import { setTimeout as pause } from 'node:timers/promises';
import type { FakeUnit } from './cloud/fake-unit.js';

const POLL_INTERVAL_MS = 500;

function linesOf(unit: FakeUnit): string[] {
  const image = String(unit.attributes['image']);
  const lines = [`${unit.name} started from ${image}`];
  for (let n = 1; n <= unit.reboots; n++) lines.push(`${unit.name} restarted (${n})`);
  return lines;
}

const endOf = (unit: FakeUnit): string[] =>
  unit.state === 'stopped' ? [`${unit.name} exited with ${unit.exitCode ?? 0}`] : [];

const toText = (lines: readonly string[]): string => lines.map(line => `${line}\n`).join('');

/** Returns the last lines of a unit's log. */
export function logsOf(unit: FakeUnit, tail: number): string {
  return tail <= 0 ? '' : toText([...linesOf(unit), ...endOf(unit)].slice(-tail));
}

interface FollowOptions {
  readonly tail: number;
  readonly signal: AbortSignal;
  readonly inspect: () => Promise<FakeUnit | undefined>;
}

/** Yields the last lines and then every new line, until the unit is stopped or removed, or the signal fires. */
export async function* followLogs(first: FakeUnit, { tail, signal, inspect }: FollowOptions): AsyncGenerator<string> {
  yield logsOf(first, tail);
  let yielded = linesOf(first).length;
  for (let unit: FakeUnit | undefined = first; unit && unit.state !== 'stopped';) {
    try {
      await pause(POLL_INTERVAL_MS, undefined, { signal });
      unit = await inspect();
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (!unit) return;
    const lines = linesOf(unit);
    const added = toText([...lines.slice(yielded), ...endOf(unit)]);
    yielded = lines.length;
    if (added !== '') yield added;
  }
}
