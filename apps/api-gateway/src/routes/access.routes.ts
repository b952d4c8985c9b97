import * as a from '../schemas/access.schemas.js';
import { CrudRoutes } from './crud.routes.js';
import { route } from './route.js';

const projects = new CrudRoutes({
  one: 'project',
  many: 'projects',
  path: '/v1/projects',
  schema: a.project,
  list: { filters: { id: 'id', name: 'name' }, sorts: ['createdAt', 'name'] },
  writeAccess: 'operator',
});
const keys = new CrudRoutes({
  one: 'apiKey',
  many: 'apiKeys',
  path: '/v1/api-keys',
  schema: a.apiKey,
  list: { filters: { id: 'id', projectId: 'reference', role: 'id' }, sorts: ['createdAt', 'role'] },
  readAccess: 'admin',
  past: false,
  writeAccess: 'admin',
});

export const projectRoutes = {
  list: projects.list(),
  get: projects.get(),
  history: projects.history(),
  diff: projects.diff(),
  create: projects.create(a.projectCreate, { name: 'shop' }, false),
};

export const apiKeyRoutes = {
  list: keys.list(),
  get: keys.get(),
  create: keys.create(a.apiKeyCreate, { project: 'shop', role: 'member' }, false),
  delete: keys.delete(),
};

export const whoamiRoute = route('whoami', 'GET', '/v1/whoami', { summary: 'Who asks', answers: { 200: a.whoami } });
