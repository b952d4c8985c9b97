import { alike, closed, exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import { readQuery } from '../schemas/query.schemas.js';
import { mapOf } from '../schemas/resource.schema.js';
import { resourceRoutes } from './resource.routes.js';
import { anyParams, route } from './route.js';

const identity = p.texts('id', 'name');
const texts = listOf(p.anyString);
const keyMode = oneOf('group', 'pinned');
const member = { ...p.texts('id', 'release'), keyMode, lastHeartbeatAt: nullable(p.dateTime) };

const driver = named(
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
const versionPath = '/v1/drivers/:name/versions/:version';

/** The drivers that live conductors offer. */
const driverRoutes = [
  ...resourceRoutes({
    resource: 'driver',
    schema: driver,
    list: {
      filters: {
        id: 'exact',
        name: 'text',
        version: ['text', 'versions'],
        conductorGroup: ['text', 'conductorGroups'],
      },
      sorts: ['name'],
    },
    key: 'name',
    history: false,
  }),
  route('getDriverVersion', 'GET', versionPath, {
    summary: 'Get a version of a driver',
    params: anyParams(versionPath),
    query: readQuery,
    answers: { 200: driver },
    dispatch: { resource: 'driver', verb: 'get', target: { id: 'name', version: 'version' } },
  }),
];

export const driverDocumentRoute = route('getDriverOpenApi', 'GET', `${versionPath}/openapi.json`, {
  summary: 'Get the OpenAPI document of the operations that a version of a driver offers',
  params: anyParams(`${versionPath}/openapi.json`),
  answers: { 200: p.anyObject },
  example: { params: { name: 'fake', version: '1.0.0' } },
});

const conductorRoutes = resourceRoutes({
  resource: 'conductor',
  schema: named(
    'Conductor',
    exact({
      ...member,
      ...p.texts('name', 'group', 'session'),
      drivers: listOf(exact(p.texts('name', 'version'))),
      state: oneOf('LIVE', 'DRAINING'),
      ...alike(p.anyNumber, 'weight', 'load'),
      ...alike(p.anyInteger, 'staleReports', 'suspectedLosses', 'suspectedContainerLosses'),
    }),
  ),
  list: {
    filters: {
      ...alike('exact', 'id', 'state', 'keyMode'),
      ...alike('text', 'name', 'group', 'release'),
      driver: ['text', 'drivers.name'],
    },
    sorts: ['name', 'group', 'state', 'load', 'weight', 'release', 'lastHeartbeatAt'],
  },
  key: 'id',
  history: false,
  writeAccess: 'operator',
  summaries: { drain: 'Drain a conductor: it finishes its tasks and leaves the ring' },
  examples: { drain: { deadline: '10m' } },
});

const conductorGroupRoutes = resourceRoutes({
  resource: 'conductor-group',
  schema: named('ConductorGroup', exact({ ...identity, conductors: texts, drivers: texts })),
  list: {
    filters: { ...alike('text', 'id', 'name'), driver: ['text', 'drivers'], conductor: ['text', 'conductors'] },
    sorts: ['name'],
  },
  history: false,
  listOnly: true,
});

const ring = named(
  'Ring',
  exact(
    {
      ...identity,
      ...p.texts('key', 'token', 'driver'),
      mode: keyMode,
      pinnedBy: texts,
      services: listOf(exact(member)),
      epoch: p.anyInteger,
      tables: listOf(exact({ version: p.anyString, slots: mapOf(p.anyInteger) })),
    },
    p.texts('group'),
  ),
);
const ringLookup = named(
  'RingLookup',
  exact(
    { ...p.texts('key', 'token'), ...p.integers('slot', 'epoch'), conductorId: nullable(p.anyString) },
    { claim: nullable(p.anyObject) },
  ),
);

const ringRoutes = [
  ...resourceRoutes({
    resource: 'ring',
    schema: ring,
    list: {
      filters: { ...alike('text', 'id', 'name', 'key', 'driver', 'group'), ...alike('exact', 'token', 'mode') },
      sorts: ['name', 'driver', 'group'],
    },
    key: 'key',
    history: false,
    summaries: { get: 'Get a ring by its key or its token' },
  }),
  route('lookupRing', 'GET', '/v1/rings/lookup', {
    summary: 'Get the conductor that serves a resource',
    query: closed({ resource: p.text(255, 1) }, ['resource']),
    answers: { 200: ringLookup },
    example: { query: 'resource=0198c5a0-0000-7000-8000-000000000001' },
    dispatch: { resource: 'ring', verb: 'lookup' },
  }),
];

export const registryRoutes = [
  ...driverRoutes,
  driverDocumentRoute,
  ...conductorRoutes,
  ...conductorGroupRoutes,
  ...ringRoutes,
];
