import type { ResourceName } from '@stave/contracts';
import { resourceRequests, type JsonSchema } from '@stave/contracts/schemas';
import type { ListFields } from '../schemas/list-fields.js';
import { listQuery, readQuery, ringLookupQuery } from '../schemas/query.schemas.js';
import * as r from '../schemas/registry.schemas.js';
import { page } from '../schemas/resource.schema.js';
import { anyParams, route, type Dispatch, type Route } from './route.js';

const list = (id: string, resource: ResourceName, schema: JsonSchema, fields: ListFields): Route =>
  route(id, 'GET', `/v1/${resource}s`, {
    summary: `List ${resource.replaceAll('-', ' ')}s`,
    query: listQuery(fields),
    list: fields,
    answers: { 200: page(schema) },
    dispatch: { resource, verb: 'list' },
  });

const get = (id: string, path: string, schema: JsonSchema, summary: string, dispatch: Omit<Dispatch, 'verb'>): Route =>
  route(id, 'GET', path, {
    summary,
    params: anyParams(path),
    query: readQuery,
    answers: { 200: schema },
    dispatch: { verb: 'get', ...dispatch },
  });

/** The drivers that live conductors offer. */
export const driverRoutes = [
  list('listDrivers', 'driver', r.driver, {
    filters: { id: 'id', name: 'text', version: ['text', 'versions'], conductorGroup: ['text', 'conductorGroups'] },
    sorts: ['name'],
  }),
  get('getDriver', '/v1/drivers/:name', r.driver, 'Get a driver', { resource: 'driver', target: { id: 'name' } }),
  get('getDriverVersion', '/v1/drivers/:name/versions/:version', r.driver, 'Get a version of a driver', {
    resource: 'driver',
    target: { id: 'name', version: 'version' },
  }),
];

const drainBody = resourceRequests.conductor.actions?.['drain'];
const drainPath = '/v1/conductors/:id/actions/drain';

export const conductorRoutes = [
  list('listConductors', 'conductor', r.conductor, {
    filters: {
      id: 'id',
      name: 'text',
      group: 'text',
      state: 'id',
      release: 'text',
      keyMode: 'id',
      driver: ['text', 'drivers.name'],
    },
    sorts: ['name', 'group', 'state', 'load', 'weight', 'release', 'lastHeartbeatAt'],
  }),
  get('getConductor', '/v1/conductors/:id', r.conductor, 'Get a conductor', { resource: 'conductor' }),
  route('drainConductor', 'POST', drainPath, {
    summary: 'Drain a conductor: it finishes its tasks and leaves the ring',
    access: 'operator',
    params: anyParams(drainPath),
    ...(drainBody ? { body: drainBody } : {}),
    bodyOptional: true,
    answers: { 200: r.conductor, 202: r.conductor },
    example: { body: { deadline: '10m' } },
    dispatch: { resource: 'conductor', verb: 'action', action: 'drain' },
  }),
];

export const conductorGroupRoutes = [
  list('listConductorGroups', 'conductor-group', r.conductorGroupInfo, {
    filters: { id: 'text', name: 'text', driver: ['text', 'drivers'], conductor: ['text', 'conductors'] },
    sorts: ['name'],
  }),
];

export const ringRoutes = [
  list('listRings', 'ring', r.ring, {
    filters: { id: 'text', name: 'text', key: 'text', token: 'id', driver: 'text', group: 'text', mode: 'id' },
    sorts: ['name', 'driver', 'group'],
  }),
  route('lookupRing', 'GET', '/v1/rings/lookup', {
    summary: 'Get the conductor that serves a resource',
    query: ringLookupQuery,
    answers: { 200: r.ringLookup },
    example: { query: 'resource=0198c5a0-0000-7000-8000-000000000001' },
    dispatch: { resource: 'ring', verb: 'lookup' },
  }),
  get('getRing', '/v1/rings/:key', r.ring, 'Get a ring by its key or its token', {
    resource: 'ring',
    target: { id: 'key' },
  }),
];
