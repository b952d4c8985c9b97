import { eventually, operationIdOf, uniqueName, type StaveAnswer, type StaveClient } from '@stave/testing';
import { small } from './fleet.js';
import type { ResourceView } from './views.js';

const options = {
  volumeDrivers: { local: 'node', shared: 'cluster' },
  refuse: { 'network.create': 1, 'volume.create': 1 },
};

/** Uses every operation on networks and volumes at least once, by both paths of each. */
export async function documentedAttachments(api: StaveClient): Promise<void> {
  const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor: small }];
  const body = { name: uniqueName('c'), driver: 'fake', options, nodeGroups };
  const cluster = await api.succeed(api.post<ResourceView>('/v1/clusters', body));
  const inCluster = `/v1/clusters/${cluster.id}`;
  for (const path of ['/v1/networks', `${inCluster}/networks`]) {
    const clusterId = path.startsWith(inCluster) ? {} : { clusterId: cluster.id };
    const failed = await failing(api.post(path, { name: uniqueName('n'), driver: 'overlay', ...clusterId }), api);
    await used(api, path, failed, { autoRemove: true });
  }
  for (const path of ['/v1/volumes', `${inCluster}/volumes`]) {
    const clusterId = path.startsWith(inCluster) ? {} : { clusterId: cluster.id };
    const volume = await failing(api.post(path, { name: uniqueName('v'), driver: 'shared', ...clusterId }), api);
    await api.succeed(api.post(`${path}/${volume.id}/actions/detach`, {}));
    await rebound(api, path);
    await used(api, path, volume, { reclaimPolicy: 'delete' });
  }
  await api.succeed(api.delete(inCluster));
}

/** Waits until the creation has failed, since the driver refuses the first one. */
async function failing(asked: Promise<StaveAnswer<ResourceView>>, api: StaveClient): Promise<ResourceView> {
  const answer = await asked;
  const { status } = await api.operation(operationIdOf(answer) ?? '');
  if (status !== 'FAILED') throw new Error(`${answer.request} ended ${status}`);
  return answer.body;
}

async function used(api: StaveClient, path: string, { id }: ResourceView, patch: object): Promise<void> {
  const single = `${path}/${id}`;
  await api.succeed(api.post(`${single}/actions/retry`));
  await api.succeed(api.patch(single, patch));
  for (const read of [
    path,
    single,
    `${single}/events`,
    `${single}/diff?from=1`,
    `${single}?at=1`,
    `${path}?fields=name`,
  ])
    await api.read(read);
  await api.succeed(api.delete(single));
}

/** Binds a volume by a container, and discards its data. */
async function rebound(api: StaveClient, path: string): Promise<void> {
  const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor: small }];
  const cluster = { name: uniqueName('c'), driver: 'fake', nodeGroups };
  const { id } = await api.succeed(api.post<ResourceView>('/v1/clusters', cluster));
  const profile = { name: uniqueName('p'), image: 'db', hostCluster: id, volumes: [{ name: 'd', mountPath: '/d' }] };
  const made = await api.succeed(api.post<ResourceView>('/v1/container-profiles', profile));
  const container = await api.succeed(api.post<ResourceView>('/v1/containers', { profile: made.id }));
  await api.succeed(api.delete(`/v1/containers/${container.id}`));
  const [volume] = await api.list<ResourceView>(`/v1/clusters/${id}/volumes`);
  const volumes = path === '/v1/volumes' ? path : `/v1/clusters/${id}/volumes`;
  const discard = () => api.post(`${volumes}/${volume?.id}/actions/rebind`, { discardData: true });
  // the volume is free when the ledger knows that its container is gone
  await eventually(async () => (await discard()).status === 200, { what: 'the volume is free' });
  await api.succeed(api.delete(`/v1/clusters/${id}`));
}
