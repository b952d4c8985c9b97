import * as c from '../schemas/container.schemas.js';
import { logsQuery } from '../schemas/query.schemas.js';
import { containerStatuses } from '../schemas/statuses.js';
import { resourceRoutes } from './resource.routes.js';
import { route } from './route.js';

export const containerProfileRoutes = resourceRoutes({
  resource: 'container-profile',
  schema: c.profile,
  list: {
    filters: {
      id: 'id',
      name: 'name',
      projectId: 'reference',
      image: 'text',
      restartPolicy: 'id',
      zone: 'text',
      region: 'text',
    },
    sorts: ['createdAt', 'updatedAt', 'name', 'image'],
    labels: true,
  },
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

export const containerLogsRoute = route('getContainerLogs', 'GET', '/v1/containers/:id/logs', {
  summary: 'Get the last lines that a container wrote',
  description:
    'With `follow=true` the response is plain text that continues with what the container writes: until the container ends, the client ' +
    'disconnects, or ten minutes have passed. A response that ends without its last chunk means that the log could not be read further.',
  stream: 'text/plain',
  query: logsQuery,
  answers: { 200: c.logs },
  example: { query: 'tail=100' },
});

export const containerRoutes = [
  ...resourceRoutes({
    resource: 'container',
    schema: c.container,
    list: {
      filters: {
        id: 'id',
        name: 'name',
        projectId: 'reference',
        clusterId: 'reference',
        nodeId: 'reference',
        profileId: 'reference',
        status: containerStatuses,
        image: 'text',
        restartPolicy: 'id',
        zone: 'text',
        region: 'text',
        address: 'text',
        exitCode: 'number',
      },
      sorts: ['createdAt', 'updatedAt', 'name', 'status', 'image', 'restarts', 'clusterId', 'nodeId'],
      labels: true,
    },
    create: {
      example: { profile: 'nginx', name: 'web-1', env: { MODE: 'test' } },
      description:
        'The profile is copied into the container. A member in this request replaces the same member of the profile completely: ' +
        "`resources: {cpus: 0.5}` drops the profile's `memoryMb`, `env` and `labels` drop all entries of the profile.",
    },
    examples: { patch: { labels: { tier: 'web' } } },
  }),
  containerLogsRoute,
  route('getContainerStats', 'GET', '/v1/containers/:id/stats', {
    summary: 'Get the current resource usage of a container',
    answers: { 200: c.stats },
    dispatch: { resource: 'container', verb: 'stats' },
  }),
];
