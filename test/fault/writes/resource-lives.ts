import { between, type ExpectedResource, type Random, type SendWrite, type Write } from './write.js';

/** Writes everything that happens to the resources with this name, one write after the other. */
export type Life = (name: string, send: SendWrite, random: Random) => Promise<readonly ExpectedResource[]>;

const flavor = { cpus: 1, memoryMb: 512 };
const HOST = 'home';
const MOST_CHANGES = 10;
const MOST_NODES = 2;
/** The share of the resources that are deleted in the end. */
const DELETED = 0.6;

/** A cluster with one group of nodes: changes of both, and resizes. */
export const clusterLife: Life = async (name, send, random) => {
  const shows = { name, description: 'new', labels: {} };
  const group = { name: 'w', role: 'worker', count: 1, labels: {} };
  const { description } = shows;
  const id = await send({
    key: `${name}-create`,
    kind: 'create',
    method: 'POST',
    path: '/v1/clusters',
    body: { name, description, driver: 'fake', nodeGroups: [{ ...group, flavor }] },
    effect: { category: 'cluster', type: 'ClusterCreated', data: { name, groups: [{ name: 'w' }] } },
  });
  const path = `/v1/clusters/${id}`;
  for (let n = between(random, 2, MOST_CHANGES); n > 0; n -= 1) {
    const key = `${name}-${n}`;
    const choice = random();
    if (choice < 0.4) {
      shows.description = key;
      await send(patch(key, path, { description: key }, 'cluster', 'ClusterUpdated'));
    } else if (choice < 0.6) {
      group.labels = { write: key };
      await send(patch(key, `${path}/node-groups/w`, { labels: group.labels }, 'nodeGroup', 'NodeGroupUpdated'));
    } else {
      group.count = (group.count + between(random, 1, MOST_NODES)) % (MOST_NODES + 1);
      await send(resize(key, `${path}/node-groups/w`, group.count));
    }
  }
  const deleted = random() < DELETED;
  if (deleted) await send(removal(name, path, 'cluster', 'ClusterDeletionRequested'));
  return [
    { type: 'clusters', id, path, shows: deleted ? undefined : { ...shows, nodeCounts: { total: group.count } } },
    { type: 'node-groups', id: `${id}/w`, path: `${path}/node-groups/w`, shows: deleted ? undefined : group },
  ];
};

/** Creates the cluster in which the containers of all profiles would run. */
export const hostLife: Life = async (_name, send) => {
  const body = { name: HOST, driver: 'fake', nodeGroups: [] };
  const effect = { category: 'cluster', type: 'ClusterCreated', data: { name: HOST, groups: [] } };
  const id = await send({ key: HOST, kind: 'create', method: 'POST', path: '/v1/clusters', body, effect });
  return [{ type: 'clusters', id, path: `/v1/clusters/${HOST}`, shows: { id } }];
};

export const templateLife: Life = async (name, send, random) => {
  let description = 'new';
  const id = await send({
    key: `${name}-create`,
    kind: 'create',
    method: 'POST',
    path: '/v1/cluster-templates',
    body: { name, description, driver: 'fake' },
    effect: {
      category: 'clusterTemplate',
      type: 'ClusterTemplateCreated',
      data: { name, attributes: { description } },
    },
  });
  const path = `/v1/cluster-templates/${id}`;
  for (let n = between(random, 1, MOST_CHANGES); n > 0; n -= 1) {
    description = `${name}-${n}`;
    const write = patch(description, path, { description }, 'clusterTemplate', 'ClusterTemplateUpdated');
    await send({ ...write, effect: { ...write.effect, data: { attributes: { description } } } });
  }
  const deleted = random() < DELETED;
  if (deleted) await send(removal(name, path, 'clusterTemplate', 'ClusterTemplateDeleted'));
  return [{ type: 'cluster-templates', id, path, shows: deleted ? undefined : { name, description } }];
};

export const profileLife: Life = async (name, send, random) => {
  let image = 'web:0';
  const effect = (type: string): Write['effect'] => ({
    category: 'containerProfile',
    type,
    data: { spec: { contents: { image } } },
  });
  const id = await send({
    key: `${name}-create`,
    kind: 'create',
    method: 'POST',
    path: '/v1/container-profiles',
    body: { name, image, hostCluster: HOST },
    effect: effect('ContainerProfileCreated'),
  });
  const path = `/v1/container-profiles/${id}`;
  for (let n = between(random, 1, MOST_CHANGES); n > 0; n -= 1) {
    image = `web:${n}`;
    const write = patch(`${name}-${n}`, path, { image }, 'containerProfile', 'ContainerProfileUpdated');
    await send({ ...write, effect: effect('ContainerProfileUpdated') });
  }
  const deleted = random() < DELETED;
  if (deleted) await send(removal(name, path, 'containerProfile', 'ContainerProfileDeleted'));
  return [{ type: 'container-profiles', id, path, shows: deleted ? undefined : { name, image } }];
};

const patch = (key: string, path: string, body: object, category: string, type: string): Write => ({
  key,
  kind: 'patch',
  method: 'PATCH',
  path,
  body,
  effect: { category, type, data: { changes: body } },
});

const resize = (key: string, path: string, count: number): Write => ({
  key,
  kind: 'resize',
  method: 'POST',
  path: `${path}/actions/resize`,
  body: { count },
  effect: { category: 'nodeGroup', type: 'NodeGroupResized', data: { count } },
});

const removal = (name: string, path: string, category: string, type: string): Write => ({
  key: `${name}-delete`,
  kind: 'delete',
  method: 'DELETE',
  path,
  effect: { category, type, data: {} },
});
