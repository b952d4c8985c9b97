import { exact, nullable, oneOf, type JsonSchema } from './json-schema.js';
import * as p from './primitives.js';

/** The schema of `AuditEntry`. */
export const auditEntry: JsonSchema = exact(
  {
    ...p.texts('id', 'subject', 'from', 'operation', 'correlationId'),
    time: p.dateTime,
    method: oneOf('api-key', 'jwt', 'keystone', 'cookie'),
    projectId: {
      ...nullable(p.anyString),
      description: 'of the requester; for operators that of the target, or that a refused request names',
    },
    outcome: oneOf('accepted', 'refused'),
    status: p.anyInteger,
  },
  {
    ...p.texts('name', 'keyId'),
    target: {
      ...exact(p.texts('type', 'id')),
      description:
        'what was changed, by its id; of a refused change, as the request named it; members as <project>/<subject>',
    },
    code: { ...p.anyString, description: 'of the problem that was answered' },
  },
);
