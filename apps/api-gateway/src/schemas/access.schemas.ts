import { exact, keyRole, named, nullable, primitives as p } from '@stave/contracts/schemas';
import { resource } from './resource.schema.js';

export const project = named('Project', resource({}, { description: p.anyString }));
export const apiKey = named(
  'ApiKey',
  resource(
    { role: keyRole, project: nullable(p.anyString), projectId: nullable(p.anyString) },
    { key: { type: 'string', description: 'only in the response to the request that created the key' } },
  ),
);
export const whoami = named('WhoAmI', exact({ keyId: p.anyString, role: keyRole, project: nullable(p.anyString) }));
