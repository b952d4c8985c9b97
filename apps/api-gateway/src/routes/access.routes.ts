import { exact, keyRole, named, nullable, primitives as p } from '@stave/contracts/schemas';
import { resource } from '../schemas/resource.schema.js';
import { resourceRoutes } from './resource.routes.js';
import { route } from './route.js';

const ofKey = { role: keyRole, project: nullable(p.anyString) };
const onlyOnce = { ...p.anyString, description: 'only in the response to the request that created the key' };

const projectRoutes = resourceRoutes({
  resource: 'project',
  schema: named('Project', resource({}, p.texts('description'))),
  list: { filters: { id: 'exact', name: 'name' }, sorts: ['createdAt', 'name'] },
  writeAccess: 'operator',
  create: { example: { name: 'shop' }, startsOperation: false },
});

const apiKeyRoutes = resourceRoutes({
  resource: 'api-key',
  schema: named('ApiKey', resource({ ...ofKey, projectId: nullable(p.anyString) }, { key: onlyOnce })),
  list: { filters: { id: 'exact', projectId: 'reference', role: 'exact' }, sorts: ['createdAt', 'role'] },
  readAccess: 'admin',
  writeAccess: 'admin',
  history: false,
  create: { example: { project: 'shop', role: 'member' }, startsOperation: false },
});

export const whoamiRoute = route('whoami', 'GET', '/v1/whoami', {
  summary: 'Get the role and the project of the API key in use',
  answers: { 200: named('WhoAmI', exact({ keyId: p.anyString, ...ofKey })) },
});

export const accessRoutes = [...projectRoutes, ...apiKeyRoutes, whoamiRoute];
