import * as a from '../schemas/access.schemas.js';
import { resourceRoutes } from './resource.routes.js';
import { route } from './route.js';

export const projectRoutes = resourceRoutes({
  resource: 'project',
  schema: a.project,
  list: { filters: { id: 'id', name: 'name' }, sorts: ['createdAt', 'name'] },
  writeAccess: 'operator',
  create: { example: { name: 'shop' }, startsOperation: false },
});

export const apiKeyRoutes = resourceRoutes({
  resource: 'api-key',
  schema: a.apiKey,
  list: { filters: { id: 'id', projectId: 'reference', role: 'id' }, sorts: ['createdAt', 'role'] },
  readAccess: 'admin',
  writeAccess: 'admin',
  history: false,
  create: { example: { project: 'shop', role: 'member' }, startsOperation: false },
});

export const whoamiRoute = route('whoami', 'GET', '/v1/whoami', {
  summary: 'Get the role and the project of the API key in use',
  answers: { 200: a.whoami },
});
