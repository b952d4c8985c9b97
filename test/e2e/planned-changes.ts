import { uniqueName } from '@stave/testing';
import { small } from './fleet.js';

/** The ids of created resources, by the keys that later changes use. */
export type Made = Map<string, string>;

/** A change that is planned and then executed as planned. */
export interface PlannedChange {
  /** The operation id in the OpenAPI document. */
  readonly route: string;
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `{key}` is replaced by the id of the resource with that key. */
  readonly path: string;
  readonly body?: object;
  /** The key of the resource that the change creates. */
  readonly makes?: string;
  /** Status and code with which both the plan and the change are refused. */
  readonly refused?: readonly [status: number, code: string];
  /** Whether the change is only planned. */
  readonly unexecuted?: boolean;
}

const group = { role: 'worker', count: 2, flavor: small };
const nodeAction = (action: string, node: string, more: Partial<PlannedChange> = {}): PlannedChange => ({
  route: `${action}Node`,
  method: 'POST',
  path: `/v1/nodes/{${node}}/actions/${action}`,
  body: {},
  ...more,
});
const post = (route: string, path: string, body: object, more: Partial<PlannedChange> = {}): PlannedChange => ({
  route,
  method: 'POST',
  path,
  body,
  ...more,
});
const patch = (route: string, path: string, body: object): PlannedChange => ({ route, method: 'PATCH', path, body });
const remove = (route: string, path: string): PlannedChange => ({ route, method: 'DELETE', path });
const container = (action: string, more: Partial<PlannedChange> = {}): PlannedChange =>
  post(`${action}Container`, `/v1/containers/{container}/actions/${action}`, {}, more);
const inCluster = '/v1/clusters/{cluster}/node-groups';
const noReleaseAwaited = { refused: [409, 'no-release-awaited'] } as const;
const nothingToRetry = { refused: [409, 'nothing-to-retry'] } as const;

/** Every kind of change, in the order of the resources' life cycles. */
export const plannedChanges: readonly PlannedChange[] = [
  post('createProject', '/v1/projects', { name: uniqueName('project') }),
  post('createApiKey', '/v1/api-keys', { project: 'default', role: 'member' }, { makes: 'key' }),
  remove('deleteApiKey', '/v1/api-keys/{key}'),
  post(
    'createCluster',
    '/v1/clusters',
    {
      name: uniqueName('planned'),
      driver: 'fake',
      nodeGroups: [
        { name: 'w', ...group },
        { name: 'x', ...group },
      ],
    },
    { makes: 'cluster' },
  ),
  patch('updateCluster', '/v1/clusters/{cluster}', { description: 'as planned', labels: { env: 'test' } }),
  post('pauseCluster', '/v1/clusters/{cluster}/actions/pause', {}),
  post('resumeCluster', '/v1/clusters/{cluster}/actions/resume', {}),
  post('retryCluster', '/v1/clusters/{cluster}/actions/retry', {}, nothingToRetry),
  post('createNodeGroup', '/v1/node-groups', { clusterId: '{cluster}', name: 'y', ...group }, { makes: 'y' }),
  post('createClusterNodeGroup', inCluster, { name: 'z', ...group, zones: ['a', 'b'] }, { makes: 'z' }),
  patch('updateNodeGroup', '/v1/node-groups/{y}', { maxCount: 9 }),
  patch('updateClusterNodeGroup', `${inCluster}/z`, { labels: { tier: 'web' } }),
  post('resizeNodeGroup', '/v1/node-groups/{y}/actions/resize', { count: 4 }),
  post('resizeClusterNodeGroup', `${inCluster}/z/actions/resize`, { change: -1 }),
  patch('updateNodeGroup', '/v1/node-groups/{y}', { flavor: { cpus: 2, memoryMb: 512 }, labels: { a: 'b' }, count: 3 }),
  post('rebuildNodeGroup', '/v1/node-groups/{y}/actions/rebuild', {}),
  post('rebootNodeGroup', '/v1/node-groups/{y}/actions/reboot', { type: 'hard' }),
  post('retryNodeGroup', '/v1/node-groups/{y}/actions/retry', {}, nothingToRetry),
  patch('updateClusterNodeGroup', `${inCluster}/z`, { zones: ['c'] }),
  post('rebuildClusterNodeGroup', `${inCluster}/z/actions/rebuild`, {}),
  post('rebootClusterNodeGroup', `${inCluster}/z/actions/reboot`, {}),
  post('retryClusterNodeGroup', `${inCluster}/z/actions/retry`, {}, nothingToRetry),
  patch('updateCluster', '/v1/clusters/{cluster}', { options: { latencyMs: 5 } }),
  post('rebuildCluster', '/v1/clusters/{cluster}/actions/rebuild', {}),
  post('rebootCluster', '/v1/clusters/{cluster}/actions/reboot', { type: 'soft' }),
  post(
    'upgradeCluster',
    '/v1/clusters/{cluster}/actions/upgrade',
    { version: '1.0.0' },
    { refused: [422, 'not-newer'] },
  ),
  nodeAction('cordon', 'w-0'),
  nodeAction('uncordon', 'w-0'),
  nodeAction('drain', 'w-0', { body: { deadline: '60s' } }),
  nodeAction('rebuild', 'w-0'),
  nodeAction('reboot', 'w-0', { body: { type: 'hard' } }),
  nodeAction('retry', 'w-0', nothingToRetry),
  nodeAction('release', 'w-0', noReleaseAwaited),
  nodeAction('abort', 'w-0', noReleaseAwaited),
  nodeAction('replace', 'w-0'),
  remove('deleteNode', '/v1/nodes/{w-1}'),
  post(
    'createContainerProfile',
    '/v1/container-profiles',
    { name: uniqueName('planned'), image: 'web:1', hostCluster: '{cluster}' },
    { makes: 'profile' },
  ),
  patch('updateContainerProfile', '/v1/container-profiles/{profile}', { env: { MODE: 'test' } }),
  post(
    'createContainer',
    '/v1/containers',
    { profile: '{profile}', name: uniqueName('planned') },
    { makes: 'container' },
  ),
  patch('updateContainer', '/v1/containers/{container}', { labels: { a: 'b' }, resources: { cpus: 0.1 } }),
  container('stop'),
  container('start'),
  container('restart'),
  container('retry', nothingToRetry),
  container('release', noReleaseAwaited),
  container('abort', noReleaseAwaited),
  remove('deleteContainer', '/v1/containers/{container}'),
  remove('deleteContainerProfile', '/v1/container-profiles/{profile}'),
  post(
    'createPolicy',
    '/v1/policies',
    { name: uniqueName('planned'), type: 'placement', properties: { scorers: { leastMemory: 3 } } },
    { makes: 'policy' },
  ),
  {
    route: 'attachPolicyToCluster',
    method: 'PUT',
    path: '/v1/clusters/{cluster}/policies/{policy}',
    body: { priority: 7 },
  },
  patch('updatePolicy', '/v1/policies/{policy}', { properties: { scorers: { spread: 1 } } }),
  remove('detachPolicyFromCluster', '/v1/clusters/{cluster}/policies/{policy}'),
  {
    route: 'attachPolicyToNodeGroup',
    method: 'PUT',
    path: '/v1/node-groups/{y}/policies/{policy}',
    body: {},
    refused: [422, 'wrong-target'],
  },
  {
    route: 'detachPolicyFromNodeGroup',
    method: 'DELETE',
    path: '/v1/node-groups/{y}/policies/{policy}',
    refused: [404, 'not-found'],
  },
  remove('deletePolicy', '/v1/policies/{policy}'),
  post(
    'createClusterTemplate',
    '/v1/cluster-templates',
    { name: uniqueName('planned'), from: { cluster: '{cluster}' }, immutableAttributes: ['driver'] },
    { makes: 'template' },
  ),
  patch('updateClusterTemplate', '/v1/cluster-templates/{template}', { labels: { env: 'prod' } }),
  post(
    'createNodeGroupTemplate',
    '/v1/node-group-templates',
    { name: 'planned', clusterTemplateId: '{template}', ...group, immutableAttributes: ['flavor'] },
    { makes: 'group template' },
  ),
  patch('updateNodeGroupTemplate', '/v1/node-group-templates/{group template}', {
    clusterTemplateId: null,
    maxCount: 4,
  }),
  post(
    'createCluster',
    '/v1/clusters',
    { name: uniqueName('copy'), from: { clusterTemplate: '{template}' }, omitNodeGroups: ['y'] },
    { makes: 'copy' },
  ),
  remove('deleteNodeGroupTemplate', '/v1/node-group-templates/{group template}'),
  remove('deleteClusterTemplate', '/v1/cluster-templates/{template}'),
  remove('deleteCluster', '/v1/clusters/{copy}'),
  post('drainConductor', '/v1/conductors/{conductor}/actions/drain', { deadline: '10m' }, { unexecuted: true }),
  remove('deleteNodeGroup', '/v1/node-groups/{y}'),
  remove('deleteClusterNodeGroup', `${inCluster}/z`),
  post(
    'createCluster',
    '/v1/clusters',
    { name: uniqueName('slow'), driver: 'fake', options: { latencyMs: 2000 }, nodeGroups: [{ name: 's', ...group }] },
    { makes: 'slow' },
  ),
  post('cancelOperation', '/v1/operations/{slow operation}/cancel', {}),
  remove('deleteCluster', '/v1/clusters/{cluster}'),
];
