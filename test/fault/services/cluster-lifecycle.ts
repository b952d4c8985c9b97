import type { OperationView } from '@stave/testing';
import type { ClusterView, NodeGroupView, NodeView } from '../../e2e/views.js';
import { inParallel } from './in-parallel.js';
import type { RetryingClient } from './retrying-client.js';
import { clusterRequest } from './expected-clusters.js';

const LATENCY_MS = 200;

interface Made {
  readonly id: string;
}

/**
 * Creates clusters with groups, scales the groups out and in, adds a group, and deletes all clusters but the last. All
 * clusters run concurrently; each waits for every request to complete. `round` makes names and idempotency keys unique.
 * Returns the ids.
 */
export async function runLifecycles(
  client: RetryingClient,
  round: string,
  clusters: number,
): Promise<readonly string[]> {
  const ids: string[] = [];
  const names = Array.from({ length: clusters }, (_, at) => `${round}${at}`);
  await inParallel(names, clusters, async (name, at) => {
    const { id } = await client.succeeded<Made>(
      'POST',
      '/v1/clusters',
      `${name}-make`,
      clusterRequest(name, LATENCY_MS),
    );
    ids.push(id);
    const groups = `/v1/clusters/${id}/node-groups`;
    await client.succeeded('POST', `${groups}/w/actions/resize`, `${name}-out`, { count: 4 });
    const flavor = { cpus: 2, memoryMb: 1024 };
    await client.succeeded('POST', groups, `${name}-add`, { name: 'x', role: 'worker', count: 2, flavor });
    await client.succeeded('POST', `${groups}/w/actions/resize`, `${name}-in`, { count: 1 });
    await client.succeeded('DELETE', `${groups}/x`, `${name}-drop`);
    if (at < clusters - 1) await client.succeeded('DELETE', `/v1/clusters/${id}`, `${name}-remove`);
  });
  return ids;
}

/** The visible state of the clusters of a round, without ids and times. */
export interface Outcome {
  readonly clusters: Readonly<Record<string, number>>;
  readonly groups: Readonly<Record<string, number>>;
  readonly nodes: Readonly<Record<string, number>>;
  readonly operations: Readonly<Record<string, number>>;
}

/** Returns the expected outcome of a round with this number of clusters. */
export function outcomeFor(clusters: number): Outcome {
  return {
    clusters: { 'ACTIVE 2/2': 1 },
    groups: { 'm ACTIVE 1/1': 1, 'w ACTIVE 1/1': 1 },
    nodes: { 'm-0 ACTIVE': 1, 'w-0 ACTIVE': 1 },
    operations: {
      'cluster.create SUCCEEDED': clusters,
      'cluster.delete SUCCEEDED': clusters - 1,
      'node-group.create SUCCEEDED': clusters,
      'node-group.delete SUCCEEDED': clusters,
      'node-group.resize SUCCEEDED': 2 * clusters,
    },
  };
}

export async function outcomeOf(client: RetryingClient, ids: readonly string[]): Promise<Outcome> {
  const own = async <T extends { readonly clusterId?: string }>(path: string, show: (item: T) => string) =>
    counted((await client.list<T>(path)).filter(({ clusterId }) => ids.includes(clusterId ?? '')).map(show));
  const clusters = (await client.list<ClusterView>('/v1/clusters')).filter(({ id }) => ids.includes(id));
  return {
    clusters: counted(clusters.map(({ status, nodeCounts: { ready, total } }) => `${status} ${ready}/${total}`)),
    groups: await own<NodeGroupView>('/v1/node-groups', g => `${g.name} ${g.status} ${g.nodesReady}/${g.count}`),
    nodes: await own<NodeView>('/v1/nodes', n => `${n.name} ${n.status}`),
    operations: await own<Operation>('/v1/operations', o => `${o.kind} ${o.status}`),
  };
}

interface Operation extends OperationView {
  readonly clusterId?: string;
}

/** Counts equal texts. */
function counted(texts: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const text of [...texts].sort()) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}
