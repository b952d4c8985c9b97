import { expectProblem, expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import type { ResourceView } from './views.js';

/** Uses every operation of policies, with those of their attachments. */
export async function documentedPolicies(api: StaveClient, { id: cluster }: ResourceView): Promise<void> {
  const body = { name: uniqueName('fill'), type: 'placement', properties: { scorers: { leastMemory: 3 } } };
  const { id } = expectStatus(await api.post<ResourceView>('/v1/policies', body), 201).body;
  const path = `/v1/policies/${id}`;
  expectStatus(await api.patch(path, { properties: { scorers: { spread: 1 } } }), 200);
  const ofCluster = `/v1/clusters/${cluster}/policies`;
  expectStatus(await api.put(`${ofCluster}/${id}`, { priority: 7 }), 200);
  const reads = ['/v1/policies', path, `${path}/events`, `${path}/diff?from=1`, `${path}?at=1`, `${path}?fields=name`];
  for (const one of [...reads, ofCluster, `${path}/attachments`]) await api.read(one);
  expectProblem(await api.get(`${path}-unknown`), 404);
  expectStatus(await api.delete(`${ofCluster}/${id}`), 204);
  const profile = { name: uniqueName('p'), image: 'web:1', hostCluster: cluster };
  expectStatus(await api.post('/v1/container-profiles', profile), 201);
  const set = await api.succeed(api.post<ResourceView>('/v1/container-sets', { profile: profile.name, desired: 0 }));
  const ofSet = `/v1/container-sets/${set.id}/policies`;
  expectStatus(await api.put(`${ofSet}/${id}`, {}), 200);
  await api.read(ofSet);
  expectStatus(await api.delete(`${ofSet}/${id}`), 204);
  const [group] = await api.list<ResourceView>(`/v1/clusters/${cluster}/node-groups`);
  const ofGroup = `/v1/node-groups/${group?.id}/policies`;
  await api.read(ofGroup);
  expectProblem(await api.put(`${ofGroup}/${id}`, {}), 422);
  expectProblem(await api.delete(`${ofGroup}/${id}`), 404);
  const victims = { name: uniqueName('fill'), type: 'deletion', properties: { criteria: 'oldest' } };
  const deletion = expectStatus(await api.post<ResourceView>('/v1/policies', victims), 201).body;
  expectStatus(await api.put(`${ofGroup}/${deletion.id}`, {}), 200);
  expectStatus(await api.delete(`${ofGroup}/${deletion.id}`), 204);
  expectStatus(await api.delete(path), 204);
}
