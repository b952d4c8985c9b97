import { readJournal } from '@stave/driver-fake';
import type { OperationView } from '@stave/testing';
import type { ClusterView, NodeGroupView, NodeView } from '../../e2e/views.js';
import type { RetryingClient } from './retrying-client.js';

const flavor = { cpus: 1, memoryMb: 512 };
const groups = [
  { name: 'm', role: 'manager', count: 1, flavor },
  { name: 'w', role: 'worker', count: 2, flavor },
];
const NODES = ['m-0', 'w-0', 'w-1'];

/** Returns the request for a cluster with one manager and two workers in two groups; every change on the infrastructure takes `latencyMs`. */
export function clusterRequest(name: string, latencyMs = 0): object {
  return { name, driver: 'fake', options: { latencyMs }, nodeGroups: groups };
}

/** Returns the differences from a product with exactly these clusters of `clusterRequest`, all complete and active. */
export async function clusterDifferences(client: RetryingClient, names: readonly string[]): Promise<readonly string[]> {
  const clusters = await client.list<ClusterView>('/v1/clusters');
  const allGroups = await client.list<NodeGroupView>('/v1/node-groups');
  const allNodes = await client.list<NodeView>('/v1/nodes');
  const wrong = differences(
    'clusters',
    clusters.map(nameAndStatus),
    names.map(name => `${name} ACTIVE`),
  );
  for (const { id, name, nodeCounts } of clusters) {
    const own = allGroups.filter(group => group.clusterId === id);
    const nodes = allNodes.filter(node => node.clusterId === id);
    wrong.push(
      ...differences(`groups of ${name}`, own.map(nameAndStatus), ['m ACTIVE', 'w ACTIVE']),
      ...differences(
        `nodes of ${name}`,
        nodes.map(nameAndStatus),
        NODES.map(node => `${node} ACTIVE`),
      ),
      ...differences(`counts of ${name}`, [`${nodeCounts.ready} of ${nodeCounts.total}`], ['3 of 3']),
    );
  }
  const known = new Set(clusters.map(({ id }) => id));
  const lone = [...allGroups, ...allNodes].filter(({ clusterId }) => !known.has(clusterId));
  wrong.push(...lone.map(({ id, name }) => `${name} ${id} is in no cluster`));
  const operations = (await client.list<OperationView>('/v1/operations')).filter(
    ({ kind }) => kind === 'cluster.create',
  );
  const succeeded = operations.filter(({ status }) => status === 'SUCCEEDED').length;
  if (succeeded !== operations.length) wrong.push(`${succeeded} of ${operations.length} creations succeeded`);
  return wrong;
}

/** Returns the remaining resources, operations that did not succeed, and units of the fake cloud. */
export async function remainingResources(client: RetryingClient, journalPath: string): Promise<readonly string[]> {
  const left: string[] = [];
  for (const type of ['clusters', 'node-groups', 'nodes', 'containers'])
    for (const { id } of await client.list<ClusterView>(`/v1/${type}`)) left.push(`${type}/${id}`);
  for (const { id, kind, status } of await client.list<OperationView>('/v1/operations'))
    if (status !== 'SUCCEEDED') left.push(`operation ${id} (${kind}) is ${status}`);
  return [...left, ...(await existingUnits(journalPath))];
}

/** Returns the units of the fake cloud as `<kind>/<resource id>`. */
export async function existingUnits(journalPath: string): Promise<readonly string[]> {
  const units = new Map<string, string>();
  for await (const { put = [], gone = [] } of readJournal(journalPath)) {
    for (const { infrastructureId, kind, resourceId } of put) units.set(infrastructureId, `${kind}/${resourceId}`);
    for (const unit of gone) units.delete(unit);
  }
  return [...units.values()];
}

const nameAndStatus = ({ name, status = '' }: { readonly name: string; readonly status?: string }): string =>
  `${name} ${status}`;

function differences(what: string, found: readonly string[], wanted: readonly string[]): string[] {
  const [a, b] = [found, wanted].map(list => [...list].sort().join(', '));
  return a === b ? [] : [`${what}: ${a} instead of ${b}`];
}
