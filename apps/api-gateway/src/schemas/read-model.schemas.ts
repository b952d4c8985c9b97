import { named, nullable, open } from './json-schema.js';
import * as p from './primitive.schemas.js';

const collection = { collection: p.anyString, version: p.anyInteger };

/** What lists are answered from. */
export const readModel = named(
  'ReadModel',
  open(
    {
      id: p.anyString,
      service: p.anyString,
      name: p.anyString,
      status: { type: 'string', enum: ['READY', 'REQUESTED', 'BUILDING'] },
      version: p.anyInteger,
      serving: nullable(open({ ...collection, builtAt: p.dateTime })),
      building: nullable(open({ ...collection, startedAt: p.dateTime, written: p.anyInteger, total: p.anyInteger })),
    },
    ['id', 'service', 'name', 'status', 'version', 'serving', 'building'],
  ),
);
