import {
  alike,
  closed,
  containerMembers,
  exact,
  listOf,
  named,
  nullable,
  primitives as p,
} from '@stave/contracts/schemas';
import type { ContainerStatus, ShownHealth } from '@stave/domain';
import { awaitedRelease } from '../schemas/awaited-release.schema.js';
import { labelledList, unionOf } from '../schemas/list-fields.js';
import { mapOf, resource } from '../schemas/resource.schema.js';
import { usageWindow, windowDescription, windowSeconds } from '../schemas/usage.schemas.js';
import { resourceRoutes } from './resource.routes.js';
import { route } from './route.js';

const { command, args, network, healthCheck, imageCredentials, ...others } = containerMembers;
const { nodeSelector, zone, region, tolerations, spread, affinity, ...always } = others;
const demands = { nodeSelector, zone, region, tolerations, spread, affinity };
const optional = { command, args, network, healthCheck, imageCredentials, ...demands };
const contents = { ...always, ...alike(nullable(p.anyString), 'hostNode', 'hostCluster') };

const profileRoutes = resourceRoutes({
  resource: 'container-profile',
  schema: named('ContainerProfile', resource({ ...contents, description: nullable(p.anyString) }, optional)),
  list: labelledList({ image: 'text', restartPolicy: 'exact', ...alike('text', 'zone', 'region') }, ['image']),
  create: {
    example: {
      name: 'nginx',
      image: 'nginx:1',
      resources: { cpus: 0.5, memoryMb: 128 },
      ports: [{ containerPort: 80 }],
    },
    startsOperation: false,
  },
  examples: { patch: { image: 'nginx:2', env: null } },
});

const status = unionOf<ContainerStatus>()(
  'CREATING',
  'ACTIVE',
  'UPDATING',
  'STOPPED',
  'UNSCHEDULABLE',
  'UNREACHABLE',
  'FAILED',
  'DELETING',
);

const health = unionOf<ShownHealth>()('healthy', 'unhealthy', 'starting', 'none', 'unknown');

/** The decision of the scheduler: the node with its scores, or the reason why no node can take the container. */
const placement = closed({
  nodeId: nullable(p.anyString),
  at: p.dateTime,
  scores: listOf(exact({ nodeId: p.anyString, total: p.anyNumber, parts: mapOf(p.anyNumber) })),
  refusals: listOf(exact({ ...p.texts('code', 'sentence'), count: p.anyInteger })),
  reason: p.anyString,
  remedy: exact({ codes: listOf(p.anyString), sentence: p.anyString }, p.texts('nodeId')),
  seed: p.anyInteger,
  policy: p.anyString,
});

const container = named(
  'Container',
  resource(
    {
      ...contents,
      ...alike(nullable(p.anyString), 'profileId', 'setId', 'clusterId', 'nodeId', 'networkId', 'address'),
      ...alike(nullable(p.anyInteger), 'profileRevision', 'ordinal'),
      placement: nullable(placement),
      status,
      health,
      exitCode: nullable(p.anyInteger),
      ...p.integers('restarts', 'generation'),
    },
    { ...optional, statusReason: p.anyString, release: awaitedRelease },
  ),
);

export const containerLogsRoute = route('getContainerLogs', 'GET', '/v1/containers/:id/logs', {
  summary: 'Get the last lines that a container wrote',
  description:
    'With `follow=true` the response is plain text that continues with what the container writes: until the container ends, the client ' +
    'disconnects, or ten minutes have passed. A response that ends without its last chunk means that the log could not be read further.',
  stream: 'text/plain',
  query: closed({ tail: p.whole(1, 10_000), follow: p.anyBoolean }),
  answers: { 200: named('ContainerLogs', exact(p.texts('logs'))) },
  example: { query: 'tail=100' },
});

const containerStatsRoute = route('getContainerStats', 'GET', '/v1/containers/:id/stats', {
  summary: 'Get the resource usage of a container, now or over a window',
  description: `Without \`window\` its conductor measures the present usage. With it: ${windowDescription}`,
  query: closed({ window: windowSeconds }),
  answers: {
    200: named(
      'ContainerStats',
      exact({}, { cpuCores: p.anyNumber, memoryMb: p.anyNumber, at: p.dateTime, ...usageWindow }),
    ),
  },
  example: { query: 'window=300' },
  dispatch: { resource: 'container', verb: 'stats' },
});

export const containerRoutes = [
  ...resourceRoutes({
    resource: 'container',
    schema: container,
    list: labelledList(
      {
        ...alike('reference', 'clusterId', 'nodeId', 'profileId', 'setId', 'networkId'),
        status,
        health,
        image: 'text',
        restartPolicy: 'exact',
        ...alike('text', 'zone', 'region', 'address', 'network.name', 'volumes.name'),
        exitCode: 'number',
      },
      ['status', 'image', 'restarts', 'clusterId', 'nodeId', 'ordinal'],
    ),
    create: {
      example: { profile: 'nginx', name: 'web-1', env: { MODE: 'test' } },
      description:
        'The profile is copied into the container. A member in this request replaces the same member of the profile completely: ' +
        "`resources: {cpus: 0.5}` drops the profile's `memoryMb`, `env` and `labels` drop all entries of the profile.",
    },
    examples: { patch: { labels: { tier: 'web' } } },
  }),
  containerLogsRoute,
  containerStatsRoute,
  ...profileRoutes,
];
