import { closed, listOf, named, nullable, open } from './json-schema.js';
import * as p from './primitive.schemas.js';

export const driver = named(
  'Driver',
  open({ name: p.anyString, version: p.anyString, versions: listOf(p.anyObject), options: p.anyObject }, ['name']),
);
const keyMode = { type: 'string', enum: ['group', 'pinned'] };
export const conductor = named(
  'Conductor',
  open(
    {
      id: p.anyString,
      group: p.anyString,
      drivers: listOf(open({ name: p.anyString, version: p.anyString })),
      state: p.anyString,
      session: p.anyString,
      weight: p.anyNumber,
      release: p.anyString,
      keyMode,
      lastHeartbeatAt: nullable(p.dateTime),
      load: p.anyNumber,
      staleReports: p.anyInteger,
    },
    ['id'],
  ),
);
export const drain = named('Drain', closed({ deadline: p.deadline }));
export const conductorGroupInfo = named('ConductorGroup', p.anyObject);
const ringService = open({
  id: p.anyString,
  release: p.anyString,
  keyMode,
  lastHeartbeatAt: nullable(p.dateTime),
});
export const ring = named(
  'Ring',
  open({
    key: p.anyString,
    token: p.anyString,
    driver: p.anyString,
    group: p.anyString,
    mode: keyMode,
    pinnedBy: listOf(p.anyString),
    services: listOf(ringService),
    epoch: p.anyInteger,
    tables: listOf(open({ version: p.anyString, slots: p.anyObject })),
  }),
);
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
