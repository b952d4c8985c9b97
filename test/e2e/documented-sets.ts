import { eventually, expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import type { ContainerSetView, ResourceView } from './views.js';

/** Uses every operation of container sets, and the utilisation of their cluster and node group. */
export async function documentedSets(api: StaveClient): Promise<void> {
  const cluster = await clusterWith(api, {});
  const profile = await profileFor(api, cluster);
  const sets = '/v1/container-sets';
  const body = { name: uniqueName('set'), profile: profile.id, desired: 1, max: 4 };
  const { id } = await api.succeed(api.post<ResourceView>(sets, body));
  const path = `${sets}/${id}`;
  const act = (action: string, input: object = {}) => api.post<ContainerSetView>(`${path}/actions/${action}`, input);
  await api.succeed(act('resize', { count: 2 }));
  await api.succeed(act('scale', { direction: 'in', count: 1 }));
  await hooked(api, id, path);
  await api.succeed(act('restart'));
  expectStatus(await act('rebalance'), 200);
  expectStatus(await api.patch(`/v1/container-profiles/${profile.id}`, { env: { MODE: 'next' } }), 200);
  await api.succeed(act('roll'));
  for (const read of [
    sets,
    path,
    `${path}/events`,
    `${path}/diff?from=1`,
    `${path}?at=1`,
    `${path}?fields=name,status`,
    `${path}/autoscaling`,
  ])
    await api.read(read);
  await repeated(api, path);
  await pausedAndResumed(api, path);
  const [group] = await api.list<ResourceView>(`/v1/clusters/${cluster}/node-groups`);
  for (const owner of [`clusters/${cluster}`, `node-groups/${group?.id}`]) await api.read(`/v1/${owner}/stats`);
  await api.read(`/v1/node-groups/${group?.id}/autoscaling`);
  for (const owner of [`container-sets/${id}`, `node-groups/${group?.id}`]) await api.read(`/v1/${owner}/explain`);
  const [member] = await api.list<ResourceView>(`/v1/containers?setId=${id}&status=ACTIVE`);
  await api.read(`/v1/containers/${member?.id}/explain`);
  await api.succeed(api.post(`/v1/containers/${member?.id}/actions/move`, {}));
  await api.succeed(api.delete(path));
  await retried(api);
}

/** Repeats the past of a set that follows its load. */
async function repeated(api: StaveClient, path: string): Promise<void> {
  const autoscaling = { enabled: true, metrics: [{ resource: 'cpu', target: 0.9 }] };
  expectStatus(await api.patch(path, { autoscaling }), 200);
  expectStatus(await api.post(`${path}/actions/backtest`, { autoscaling: { tolerance: 0.2 } }), 200);
  const properties = { direction: 'out', adjustment: { type: 'change', number: 1 } };
  const policy = await api.post<ResourceView>('/v1/policies', { name: uniqueName('s'), type: 'scaling', properties });
  const target = path.split('/').at(-1);
  expectStatus(await api.post(`/v1/policies/${policy.body.id}/actions/backtest`, { target }), 200);
  expectStatus(await api.patch(path, { autoscaling: null }), 200);
}

/** Keeps and releases a member whose removal waits for that. */
async function hooked(api: StaveClient, setId: string, path: string): Promise<void> {
  const properties = { hook: { timeoutSeconds: 600 } };
  const body = { name: uniqueName('hook'), type: 'deletion', properties };
  const policy = expectStatus(await api.post<ResourceView>('/v1/policies', body), 201).body;
  expectStatus(await api.put(`${path}/policies/${policy.id}`, {}), 200);
  const [member] = await api.list<ResourceView>(`/v1/containers?setId=${setId}`);
  for (const action of ['abort', 'release']) {
    expectStatus(await api.delete(`/v1/containers/${member?.id}`), 202);
    expectStatus(await api.post(`/v1/containers/${member?.id}/actions/${action}`, {}), 200);
  }
  expectStatus(await api.delete(`${path}/policies/${policy.id}`), 204);
}

/** Pauses a rollout that cannot end meanwhile, since its new members take longer to be ready. */
async function pausedAndResumed(api: StaveClient, path: string): Promise<void> {
  const slow = { updateStrategy: { minReadySeconds: 2 }, overrides: { image: 'web:2' } };
  const rolled = await api.patch<ContainerSetView>(path, slow);
  expectStatus(rolled, 202);
  expectStatus(await api.post(`${path}/actions/pause`, {}), 200);
  await eventually(async () => (await api.read<ContainerSetView>(path)).rollout?.status === 'PAUSED');
  await api.succeed(api.post(`${path}/actions/resume`, {}));
}

/** Retries a set whose only member fails for good. */
async function retried(api: StaveClient): Promise<void> {
  const cluster = await clusterWith(api, { missingImages: ['web:1'] });
  const profile = await profileFor(api, cluster);
  const body = { name: uniqueName('set'), profile: profile.id, desired: 1, backoff: { giveUpAfter: 1 } };
  const { id } = (await api.post<ContainerSetView>('/v1/container-sets', body)).body;
  const path = `/v1/container-sets/${id}`;
  await eventually(async () => (await api.read<ContainerSetView>(path)).status === 'DEGRADED');
  expectStatus(await api.post(`${path}/actions/retry`, {}), 202);
}

async function clusterWith(api: StaveClient, options: object): Promise<string> {
  const nodeGroups = [{ name: 'w', role: 'worker', count: 1, flavor: { cpus: 4, memoryMb: 4096 } }];
  const body = { name: uniqueName('sets'), driver: 'fake', options, nodeGroups };
  return (await api.succeed(api.post<ResourceView>('/v1/clusters', body))).id;
}

async function profileFor(api: StaveClient, hostCluster: string): Promise<ResourceView> {
  const body = { name: uniqueName('p'), image: 'web:1', hostCluster, resources: { cpus: 0.1, memoryMb: 64 } };
  return expectStatus(await api.post<ResourceView>('/v1/container-profiles', body), 201).body;
}
