import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient, NodeResource, Resource } from '../demo/api-client.js';
import { mustBe } from './bench-report.js';

const TENTHS = 10;
const SAMPLES = 50;
/** Longer than what has ended stays in memory. */
const SETTLE_MS = 8_000;

/** A node that was deleted, as it was listed before. */
export interface Seen {
  readonly id: string;
  readonly name: string;
  readonly at: string;
}

export const settle = (): Promise<void> => delay(SETTLE_MS);

export async function build(api: ApiClient, name: string, count: number): Promise<string> {
  const nodeGroups = [{ name: 'workers', role: 'worker', count, flavor: { cpus: 1, memoryMb: 512 } }];
  const { id, operationId = '' } = await api.post<Resource>('/v1/clusters', { name, driver: 'fake', nodeGroups });
  mustBe((await api.finished(operationId)).status === 'SUCCEEDED', `${name} was built`);
  return id;
}

/** Builds a cluster, remembers one of its nodes, and deletes the cluster. */
async function oneRound(api: ApiClient, name: string, count: number): Promise<Seen> {
  const id = await build(api, name, count);
  const [node] = await api.list<NodeResource>(`/v1/nodes?clusterId=${id}&limit=1`);
  const at = new Date().toISOString();
  const { operationId = '' } = await api.delete<Resource>(`/v1/clusters/${id}`);
  mustBe((await api.finished(operationId)).status === 'SUCCEEDED', `${name} was deleted`);
  if (!node) throw new Error(`${name} has no nodes`);
  return { id: node.id, name: node.name, at };
}

/** Creates and deletes nodes in rounds. `measured` is called after each tenth. Returns a node of each round. */
export async function churn(
  api: ApiClient,
  { nodes, round }: { readonly nodes: number; readonly round: number },
  measured: (nodesSoFar: number) => Promise<void>,
): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const rounds = Math.ceil(nodes / round);
  let tenths = 0;
  for (let i = 1; i <= rounds; i += 1) {
    seen.push(await oneRound(api, `round-${i}`, round));
    const now = Math.floor((i * TENTHS) / rounds);
    if (now === tenths) continue;
    tenths = now;
    await settle();
    await measured(i * round);
  }
  return seen;
}

export async function nodeCount(api: ApiClient): Promise<number> {
  return (await api.get<{ readonly total: number }>('/v1/nodes?limit=1&total=true')).total;
}

export const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Returns the milliseconds that reads of deleted nodes in the past take, sorted. Each must be shown as it was, and be gone now. */
export async function readPast(api: ApiClient, seen: readonly Seen[]): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let i = 0; i < SAMPLES; i += 1) {
    const of = seen[Math.floor((i * seen.length) / SAMPLES)];
    if (!of) continue;
    const started = performance.now();
    const { name, status } = await api.get<NodeResource>(`/v1/nodes/${of.id}?at=${of.at}`);
    taken.push(performance.now() - started);
    mustBe(name === of.name && status === 'ACTIVE', `${of.name} is shown as it was`);
    const now = await api.get(`/v1/nodes/${of.id}`).then(
      () => 'there',
      (error: unknown) => String(error),
    );
    mustBe(now.includes(': 404 '), `${of.name} is gone: ${now}`);
  }
  return taken.sort((a, b) => a - b);
}
