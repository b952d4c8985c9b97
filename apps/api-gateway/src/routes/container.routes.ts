import { containerStatuses } from '../schemas/statuses.js';
import * as c from '../schemas/container.schemas.js';
import { logsQuery } from '../schemas/query.schemas.js';
import { CrudRoutes } from './crud.routes.js';
import { route } from './route.js';

const profiles = new CrudRoutes({
  one: 'containerProfile',
  many: 'containerProfiles',
  path: '/v1/container-profiles',
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
});
const containers = new CrudRoutes({
  one: 'container',
  many: 'containers',
  path: '/v1/containers',
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
});

export const containerProfileRoutes = {
  list: profiles.list(),
  get: profiles.get(),
  history: profiles.history(),
  diff: profiles.diff(),
  create: profiles.create(
    c.profileCreate,
    { name: 'nginx', image: 'nginx:1', resources: { cpus: 0.5, memoryMb: 128 }, ports: [{ containerPort: 80 }] },
    false,
  ),
  patch: profiles.patch(c.profilePatch, { image: 'nginx:2', env: null }),
  delete: profiles.delete(),
};

export const containerRoutes = {
  list: containers.list(),
  get: containers.get(),
  history: containers.history(),
  diff: containers.diff(),
  create: containers.create(
    c.containerCreate,
    { profile: 'nginx', name: 'web-1', env: { MODE: 'test' } },
    true,
    'The profile is copied into the container. A member given here takes the place of the same member of the profile as a whole: ' +
      "`resources: {cpus: 0.5}` leaves no `memoryMb`, `env` and `labels` none of the profile's entries.",
  ),
  patch: containers.patch(c.containerPatch, { labels: { tier: 'web' } }),
  delete: containers.delete(),
  start: containers.action('start', undefined),
  stop: containers.action('stop', undefined),
  restart: containers.action('restart', undefined),
  retry: containers.action('retry', undefined),
  logs: route('getContainerLogs', 'GET', '/v1/containers/:id/logs', {
    summary: 'The last lines that it wrote',
    description:
      'With `follow=true` plain text instead, which goes on with what the container writes: until it ends, the client leaves, or ' +
      'ten minutes are over. An answer that is broken off (no last chunk) could not be read on.',
    stream: 'text/plain',
    query: logsQuery,
    answers: { 200: c.logs },
    example: { query: 'tail=100' },
  }),
  stats: route('getContainerStats', 'GET', '/v1/containers/:id/stats', {
    summary: 'What it uses now',
    answers: { 200: c.stats },
  }),
};
