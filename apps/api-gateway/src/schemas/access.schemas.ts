import { closed, named, nullable, open } from './json-schema.js';
import * as p from './primitive.schemas.js';
import { resource } from './resource.schema.js';

const role = { type: 'string', enum: ['reader', 'member', 'admin'] };

export const projectCreate = named('ProjectCreate', closed({ name: p.name }, ['name']));
export const project = named('Project', resource({ description: nullable(p.anyString) }));
export const apiKeyCreate = named('ApiKeyCreate', closed({ project: p.reference, role }, ['project', 'role']));
export const apiKey = named(
  'ApiKey',
  open(
    {
      id: p.anyString,
      role,
      projectId: nullable(p.anyString),
      createdAt: p.dateTime,
      key: { type: 'string', description: 'shown once, in the answer to the request that made it' },
    },
    ['id'],
  ),
);
export const whoami = named(
  'WhoAmI',
  open({ keyId: p.anyString, role, project: nullable(p.anyString) }, ['keyId', 'role', 'project']),
);
