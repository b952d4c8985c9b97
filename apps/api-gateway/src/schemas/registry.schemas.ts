import { exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import { mapOf } from './resource.schema.js';

const identity = { id: p.anyString, name: p.anyString };
const texts = listOf(p.anyString);
const keyMode = oneOf('group', 'pinned');

export const driver = named(
  'Driver',
  exact(
    { ...identity, versions: texts, conductorGroups: texts },
    {
      version: p.anyString,
      manifest: { ...p.anyObject, description: "the driver's driver.manifest.json, in a read of one driver" },
      options: { ...p.anyObject, description: 'JSON Schemas of the options of the driver, in a read of one driver' },
    },
  ),
);

const member = { id: p.anyString, release: p.anyString, keyMode, lastHeartbeatAt: nullable(p.dateTime) };

export const conductor = named(
  'Conductor',
  exact({
    ...member,
    name: p.anyString,
    group: p.anyString,
    drivers: listOf(exact({ name: p.anyString, version: p.anyString })),
    state: oneOf('LIVE', 'DRAINING'),
    session: p.anyString,
    weight: p.anyNumber,
    load: p.anyNumber,
    staleReports: p.anyInteger,
  }),
);

export const conductorGroupInfo = named('ConductorGroup', exact({ ...identity, conductors: texts, drivers: texts }));

export const ring = named(
  'Ring',
  exact(
    {
      ...identity,
      key: p.anyString,
      token: p.anyString,
      driver: p.anyString,
      mode: keyMode,
      pinnedBy: texts,
      services: listOf(exact(member)),
      epoch: p.anyInteger,
      tables: listOf(exact({ version: p.anyString, slots: mapOf(p.anyInteger) })),
    },
    { group: p.anyString },
  ),
);

export const ringLookup = named(
  'RingLookup',
  exact(
    {
      key: p.anyString,
      token: p.anyString,
      slot: p.anyInteger,
      conductorId: nullable(p.anyString),
      epoch: p.anyInteger,
    },
    { claim: nullable(p.anyObject) },
  ),
);
