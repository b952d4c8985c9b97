import { eventually, expectStatus } from '@stave/testing';
import type { Fleet } from '../e2e/fleet.js';
import type { ContainerSetView, ContainerView, NodeView, ResourceView } from '../e2e/views.js';

/** A node and a container whose removals wait for their release. */
export interface WaitingRemovals {
  readonly nodeThatWaits: string;
  readonly memberThatWaits: string;
}

const leaving = <T extends ResourceView>(read: () => Promise<readonly T[]>, what: string): Promise<T> =>
  eventually(async () => (await read()).find(({ status }) => status === 'DELETING'), { timeoutMs: 60_000, what });

/** Builds a depot whose nodes, and whose members of `queue`, are released by hand within an hour. */
export async function waitingRemovals(fleet: Fleet): Promise<WaitingRemovals> {
  const { api } = fleet;
  const { id: depot } = await fleet.cluster({ name: 'depot' }, [{ name: 'racks', count: 3 }]);
  const { id: racks } = await fleet.group(depot, 'racks');
  const resources = { cpus: 0.1, memoryMb: 64 };
  const profile = { name: 'queue', image: 'depot/queue:1.0.0', hostCluster: depot, resources };
  expectStatus(await api.post('/v1/container-profiles', profile), 201);
  const asked = api.post<ContainerSetView>('/v1/container-sets', { name: 'queue', profile: 'queue', desired: 2 });
  const { id: queue } = await api.succeed(asked);
  const policy = { name: 'ask-first', type: 'deletion', properties: { hook: { timeoutSeconds: 3_600 } } };
  expectStatus(await api.post('/v1/policies', policy), 201);
  expectStatus(await api.put(`/v1/node-groups/${racks}/policies/ask-first`, {}), 200);
  expectStatus(await api.put(`/v1/container-sets/${queue}/policies/ask-first`, {}), 200);
  expectStatus(await api.post(`/v1/container-sets/${queue}/actions/resize`, { count: 1 }), 202);
  const members = (): Promise<readonly ContainerView[]> => api.list(`/v1/containers?setId=${queue}`);
  const member = await leaving(members, 'a member that waits');
  // what waits on a node holds up its removal
  const used = new Set((await members()).map(({ nodeId }) => nodeId));
  const free = (await fleet.nodes(depot)).find(({ id }) => !used.has(id));
  expectStatus(await api.delete(`/v1/nodes/${free?.id}`), 202);
  const node = await leaving(() => api.list<NodeView>(`/v1/nodes?clusterId=${depot}`), 'a node that waits');
  return { nodeThatWaits: node.id, memberThatWaits: member.id };
}
