import type { ContainerHealth } from '@stave/driver-sdk';
import type { FakeUnit } from './cloud/fake-unit.js';
import { wordsOf } from './cloud/fake-unit.js';

/**
 * Returns what the checks of a running container have shown at `now` (milliseconds since 1970); undefined without a health check. They
 * succeed, except those of the command `unhealthy <after ms> [<for ms>]`: they fail from that time after the start on, for that long.
 */
export function healthAt(unit: FakeUnit, now: number): ContainerHealth | undefined {
  const check = unit.attributes['healthCheck'];
  if (typeof check !== 'object' || check === null || unit.state !== 'running') return undefined;
  const {
    intervalSeconds = 30,
    retries = 3,
    startPeriodSeconds = 0,
  }: Record<string, number | undefined> = { ...check };
  const intervalMs = intervalSeconds * 1000;
  const elapsedMs = now - Date.parse(unit.startedAt ?? unit.createdAt);
  const last = Math.floor(elapsedMs / intervalMs);
  if (last < 1) return 'starting';
  const [command, after = '0', during = 'Infinity'] = wordsOf(unit);
  if (command !== 'unhealthy') return 'healthy';
  // the checks, counted from 1, that fail
  const first = Math.max(1, Math.ceil(Number(after) / intervalMs));
  const end = Math.ceil((Number(after) + Number(during)) / intervalMs);
  if (last < first || last >= end) return 'healthy';
  const counted = last - Math.max(first, Math.ceil((startPeriodSeconds * 1000) / intervalMs)) + 1;
  if (counted >= retries) return 'unhealthy';
  return first > 1 ? 'healthy' : 'starting';
}
