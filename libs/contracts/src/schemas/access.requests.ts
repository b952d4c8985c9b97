import { closed, named, oneOf } from './json-schema.js';
import * as p from './primitives.js';

export const keyRole = oneOf('reader', 'member', 'admin');

export const projectRequests = { create: named('ProjectCreate', closed({ name: p.name }, ['name'])) };

export const apiKeyRequests = {
  create: named('ApiKeyCreate', closed({ project: p.reference, role: keyRole }, ['project', 'role'])),
  delete: closed({}),
};
