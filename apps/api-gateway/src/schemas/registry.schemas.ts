import { closed, listOf, named, nullable, open } from './json-schema.js';
import * as p from './primitive.schemas.js';

export const driver = named(
  'Driver',
  open({ name: p.anyString, version: p.anyString, versions: listOf(p.anyObject), options: p.anyObject }, ['name']),
);
export const conductor = named(
  'Conductor',
  open(
    {
      id: p.anyString,
      group: p.anyString,
      drivers: listOf(open({ name: p.anyString, version: p.anyString })),
      state: p.anyString,
      lastHeartbeatAt: nullable(p.dateTime),
      load: p.anyNumber,
      staleReports: p.anyInteger,
    },
    ['id'],
  ),
);
export const drain = named('Drain', closed({ deadline: p.deadline }));
export const conductorGroupInfo = named('ConductorGroup', p.anyObject);
export const ring = named('Ring', open({ key: p.anyString, token: p.anyString, epoch: p.anyInteger }));
export const ringLookup = named(
  'RingLookup',
  open({
    key: p.anyString,
    slot: p.anyInteger,
    conductorId: nullable(p.anyString),
    epoch: p.anyInteger,
    claim: nullable(p.anyObject),
  }),
);
