import { eventually, operationIdOf, uniqueName, type StaveAnswer, type StaveClient } from '@stave/testing';
import { documentedProject } from './documented-projects.js';
import { releasedNode } from './documented-releases.js';
import { small } from './fleet.js';
import type { NodeView, ResourceView } from './views.js';

const worker = { role: 'worker', flavor: small };
const refusing = (call: string): object => ({ refuse: { [call]: 1 } });

/** Fields of the resources in a collection: also members of objects that have required members. */
function fieldsOf(collection: string): string {
  if (collection.endsWith('clusters')) return 'name,labels.env,defaults.flavor';
  return collection.includes('node') ? 'name,labels.tier,flavor.cpus' : 'name,createdAt';
}

/** Uses every operation of the API at least once, in the order of a resource's life cycle. */
export class DocumentedRequests {
  constructor(private readonly api: StaveClient) {}

  async probes(): Promise<void> {
    const documents = ['/openapi.json', '/schemas/events.json', '/asyncapi.json', '/docs'];
    const files = ['/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css'];
    for (const path of ['/healthz', '/readyz', '/metrics', ...documents, ...files]) await this.read(path);
  }

  async access(): Promise<void> {
    for (const path of ['/v1/whoami', '/v1/summary']) await this.read(path);
    const project = await this.made('/v1/projects', { name: uniqueName('project') });
    await this.reads('/v1/projects', project.id);
    await documentedProject(this.api, project.id);
    const key = await this.made('/v1/api-keys', { project: project.id, role: 'member' });
    await this.read('/v1/api-keys');
    await this.read(`/v1/api-keys/${key.id}`);
    await this.act(`/v1/api-keys/${key.id}`, 'rotate', { overlap: '1m' });
    await this.ended(this.api.delete(`/v1/api-keys/${key.id}`));
    await this.ended(this.api.patch(`/v1/projects/${project.id}`, { description: 'x', labels: { a: 'b' } }));
    for (const action of ['disable', 'enable']) await this.act(`/v1/projects/${project.id}`, action);
    await this.ended(this.api.delete(`/v1/projects/${project.id}`));
  }

  async registry(): Promise<void> {
    const [conductor] = await this.api.list<ResourceView>('/v1/conductors');
    await this.read(`/v1/conductors/${conductor?.id}`);
    const version = ['1.0.0', '1.0.0/openapi.json'].map(each => `drivers/fake/versions/${each}`);
    for (const path of ['drivers', 'drivers/fake', ...version, 'conductor-groups']) await this.read(`/v1/${path}`);
    const [ring] = await this.api.list<ResourceView>('/v1/rings');
    await this.read(`/v1/rings/${encodeURIComponent(ring?.id ?? '')}`);
    const [model] = await this.api.list<ResourceView>('/v1/read-models');
    await this.read(`/v1/read-models/${model?.id}`);
    await this.act(`/v1/read-models/${model?.id}`, 'rebuild');
  }

  /** Uses the operations of templates, and returns a cluster that is created from one. */
  async templates(): Promise<ResourceView> {
    const path = '/v1/cluster-templates';
    const template = await this.made(path, {
      name: uniqueName('t'),
      driver: 'fake',
      driverVersion: '1.0.0',
      immutableAttributes: ['driver'],
      nodeGroups: [{ name: 'w', count: 2, ...worker, immutableAttributes: ['flavor'] }],
    });
    const groups = '/v1/node-group-templates';
    const group = await this.made(groups, { name: 'x', clusterTemplateId: template.id, ...worker });
    await this.ended(this.api.patch(`${groups}/${group.id}`, { maxCount: 4, labels: { tier: 'web' } }));
    await this.ended(this.api.patch(`${path}/${template.id}`, { labels: { env: 'test' }, network: null }));
    await this.reads(groups, group.id);
    await this.reads(path, template.id);
    await this.ended(this.api.delete(`${groups}/${group.id}`));
    const cluster = await this.made('/v1/clusters', { name: uniqueName('c'), from: { clusterTemplate: template.id } });
    await this.ended(this.api.delete(`${path}/${template.id}`));
    return cluster;
  }

  async cluster({ id }: ResourceView): Promise<void> {
    const path = `/v1/clusters/${id}`;
    await this.ended(this.api.patch(`${path}?dryRun=true`, { description: 'planned' }));
    await this.ended(this.api.patch(path, { description: 'documented', labels: { env: 'test' } }));
    await this.act(path, 'pause');
    await this.act(path, 'resume');
    await this.act(path, 'upgrade', { version: '1.1.0' });
    await this.act(path, 'rebuild');
    await this.act(path, 'reboot', { type: 'soft' });
    await this.reads('/v1/clusters', id);
    await this.read(`${path}/credentials`);
    await this.read(`/v1/rings/lookup?resource=${id}`);
    await this.reads('/v1/clusters', id, '?total=true&limit=1');
  }

  async nodeGroups({ id }: ResourceView): Promise<void> {
    const inCluster = `/v1/clusters/${id}/node-groups`;
    const first = await this.made(inCluster, { name: 'y', count: 1, ...worker, zones: ['a'] });
    const second = await this.made('/v1/node-groups', { clusterId: id, name: 'z', count: 1, ...worker });
    for (const [collection, group] of [
      [inCluster, first],
      ['/v1/node-groups', second],
    ] as const) {
      const path = `${collection}/${group.id}`;
      await this.ended(
        this.api.patch(path, { maxCount: 5, labels: { tier: 'web' }, taints: [{ key: 'a', effect: 'NoSchedule' }] }),
      );
      await this.act(path, 'resize', { count: 2 });
      await this.act(path, 'scale', { direction: 'in', count: 1 });
      await this.act(path, 'rebuild');
      await this.act(path, 'reboot', { type: 'hard' });
      await this.reads(collection, group.id);
      await this.ended(this.api.delete(path));
    }
  }

  async nodes({ id }: ResourceView): Promise<void> {
    const [first, second] = await this.api.list<NodeView>(`/v1/clusters/${id}/nodes`);
    const path = `/v1/nodes/${first?.id}`;
    await this.reads('/v1/nodes', first?.id ?? '');
    for (const action of ['cordon', 'uncordon', 'drain', 'rebuild', 'reboot', 'replace']) await this.act(path, action);
    if (second) await releasedNode(this.api, second);
  }

  async containers({ id }: ResourceView): Promise<void> {
    const profiles = '/v1/container-profiles';
    const profile = await this.made(profiles, {
      name: uniqueName('p'),
      image: 'web:1',
      hostCluster: id,
      resources: { cpus: 0.1, memoryMb: 64 },
      ports: [{ containerPort: 80 }],
      healthCheck: { command: ['true'] },
    });
    await this.ended(this.api.patch(`${profiles}/${profile.id}`, { env: { MODE: 'test' }, description: 'documented' }));
    await this.reads(profiles, profile.id);
    const container = await this.made('/v1/containers', { profile: profile.id, name: uniqueName('c') });
    const path = `/v1/containers/${container.id}`;
    await this.ended(this.api.patch(path, { labels: { a: 'b' } }));
    await this.read(`${path}/logs`);
    await this.read(`${path}/stats`);
    for (const action of ['stop', 'start', 'restart']) await this.act(path, action);
    await this.reads('/v1/containers', container.id);
    await this.unschedulable(profiles, id);
    await this.ended(this.api.delete(path));
    await this.ended(this.api.delete(`${profiles}/${profile.id}`));
  }

  /** Retries tasks that the driver refuses once, each in a separate cluster. */
  async retries(): Promise<void> {
    const cluster = await this.failed(this.create({ options: refusing('cluster.create') }));
    await this.act(`/v1/clusters/${cluster.id}`, 'retry');
    await this.retryOfNodeGroup(groupId => `/v1/node-groups/${groupId}`);
    await this.retryOfNodeGroup((_, clusterId) => `/v1/clusters/${clusterId}/node-groups/w`);
    const { id } = await this.ended(this.create({ options: refusing('node.delete') }));
    const [node] = await this.api.list<ResourceView>(`/v1/clusters/${id}/nodes`);
    await this.failed(this.api.delete(`/v1/nodes/${node?.id}`));
    await this.act(`/v1/nodes/${node?.id}`, 'retry');
    const host = await this.ended(this.create({ options: refusing('container.delete') }));
    const profile = await this.made('/v1/container-profiles', {
      name: uniqueName('p'),
      image: 'x',
      hostCluster: host.id,
    });
    const container = await this.made('/v1/containers', { profile: profile.id });
    await this.failed(this.api.delete(`/v1/containers/${container.id}`));
    await this.act(`/v1/containers/${container.id}`, 'retry');
  }

  async operations(): Promise<void> {
    const lists = ['operations?limit=20&total=true', 'events?since=start&limit=100', 'summary'];
    for (const list of lists) await this.read(`/v1/${list}`);
    const creation = await this.create({ options: { latencyMs: 2_000 } });
    const operation = operationIdOf(creation);
    for (const part of ['events', 'steps?status=running']) await this.read(`/v1/operations/${operation}/${part}`);
    const cancelled = await this.api.post(`/v1/operations/${operation}/cancel`);
    if (cancelled.status !== 202) throw new Error(`the operation was not cancelled: ${cancelled.text}`);
    await this.api.operation(operation ?? '');
  }

  async end({ id }: ResourceView): Promise<void> {
    await this.ended(this.api.delete(`/v1/clusters/${id}`));
    const conductors = await this.api.list<ResourceView>('/v1/conductors');
    await this.act(`/v1/conductors/${conductors.at(-1)?.id}`, 'drain', { deadline: '1s' });
    await this.read('/v1/conductors');
  }

  private async unschedulable(profiles: string, cluster: string): Promise<void> {
    const body = { name: uniqueName('huge'), image: 'x', hostCluster: cluster, resources: { cpus: 1000 } };
    const profile = await this.made(profiles, body);
    const { body: container } = await this.api.post<ResourceView>('/v1/containers', { profile: profile.id });
    const path = `/v1/containers/${container.id}`;
    await eventually(async () => (await this.api.read<ResourceView>(path)).status === 'UNSCHEDULABLE');
    await this.ended(this.api.delete(path));
  }

  private async retryOfNodeGroup(pathOf: (groupId: string, clusterId: string) => string): Promise<void> {
    const { id } = await this.ended(this.create({ options: refusing('node.delete') }));
    const group = await this.api.read<ResourceView>(`/v1/clusters/${id}/node-groups/w`);
    await this.failed(this.api.post(`/v1/node-groups/${group.id}/actions/resize`, { count: 0 }));
    await this.act(pathOf(group.id, id), 'retry');
  }

  private create(more: object): Promise<StaveAnswer<ResourceView>> {
    const nodeGroups = [{ name: 'w', count: 1, ...worker }];
    return this.api.post('/v1/clusters', { name: uniqueName('c'), driver: 'fake', nodeGroups, ...more });
  }

  private made(path: string, body: object): Promise<ResourceView> {
    return this.ended(this.api.post<ResourceView>(path, body));
  }

  /** Reads a resource, its events, its past, and its collection. */
  private async reads(collection: string, id: string, query = ''): Promise<void> {
    const path = `${collection}/${id}`;
    for (const one of [collection + query, path, `${path}/events`, `${path}/diff?from=1`, `${path}?at=1`])
      await this.read(one);
    for (const one of [path, collection]) await this.read(`${one}?fields=${fieldsOf(collection)}`);
    await this.refused(`${path}-unknown`, 404);
    await this.refused(`${collection}?unknown=1`, 400);
    await this.read(`${collection}?at=${new Date().toISOString()}`);
  }

  private async read(path: string): Promise<void> {
    const answer = await this.api.get(path);
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`);
  }

  private async refused(path: string, status: number): Promise<void> {
    const answer = await this.api.get(path);
    if (answer.status !== status) throw new Error(`GET ${path} answered ${answer.status}: ${answer.text}`);
  }

  private act(path: string, action: string, body: object = {}): Promise<unknown> {
    return this.ended(this.api.post(`${path}/actions/${action}`, body));
  }

  private ended<T>(answering: Promise<StaveAnswer<T>>): Promise<T> {
    return this.api.succeed(answering);
  }

  private async failed<T>(answering: Promise<StaveAnswer<T>>): Promise<T> {
    const answer = await answering;
    const operation = await this.api.operation(operationIdOf(answer) ?? '');
    if (operation.status !== 'FAILED') throw new Error(`${answer.request} did not fail`);
    return answer.body;
  }
}
