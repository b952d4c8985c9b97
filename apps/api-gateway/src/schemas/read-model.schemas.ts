import { exact, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';

const collection = { collection: p.anyString, version: p.anyInteger };
const progress = { startedAt: p.dateTime, written: p.anyInteger, total: p.anyInteger };

export const readModel = named(
  'ReadModel',
  exact({
    id: p.anyString,
    service: p.anyString,
    name: p.anyString,
    status: oneOf('READY', 'REQUESTED', 'BUILDING'),
    version: p.anyInteger,
    serving: nullable(exact({ ...collection, builtAt: p.dateTime })),
    building: nullable(exact({ ...collection, ...progress })),
  }),
);
