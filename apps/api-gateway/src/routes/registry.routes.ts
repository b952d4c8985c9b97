import * as r from '../schemas/registry.schemas.js';
import { listQuery, readQuery, ringLookupQuery } from '../schemas/query.schemas.js';
import type { ListFields } from '../schemas/list-fields.js';
import type { JsonSchema } from '../schemas/json-schema.js';
import { page } from '../schemas/resource.schema.js';
import { anyParam, anyParams, route, type Route } from './route.js';

/** What live conductors report. */
const listOf = (id: string, path: string, schema: JsonSchema, list: ListFields): Route =>
  route(id, 'GET', path, {
    summary: 'All of them, in the order of their names',
    query: listQuery(list),
    list,
    answers: { 200: page(schema) },
  });

export const driverRoutes = {
  list: listOf('listDrivers', '/v1/drivers', r.driver, {
    filters: { id: 'id', name: 'text', version: ['text', 'versions'], conductorGroup: ['text', 'conductorGroups'] },
    sorts: ['name'],
  }),
  get: route('getDriver', 'GET', '/v1/drivers/:name', {
    summary: 'One driver that live conductors offer',
    params: anyParam('name'),
    query: readQuery,
    answers: { 200: r.driver },
  }),
  version: route('getDriverVersion', 'GET', '/v1/drivers/:name/versions/:version', {
    summary: 'One version of a driver',
    params: anyParams('name', 'version'),
    query: readQuery,
    answers: { 200: r.driver },
  }),
};

export const conductorRoutes = {
  list: listOf('listConductors', '/v1/conductors', r.conductor, {
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
  get: route('getConductor', 'GET', '/v1/conductors/:id', {
    summary: 'One conductor',
    params: anyParam('id'),
    query: readQuery,
    answers: { 200: r.conductor },
  }),
  drain: route('drainConductor', 'POST', '/v1/conductors/:id/actions/drain', {
    summary: 'Let a conductor finish and leave',
    access: 'operator',
    params: anyParam('id'),
    body: r.drain,
    bodyOptional: true,
    answers: { 200: r.conductor, 202: r.conductor },
    example: { body: { deadline: '10m' } },
  }),
};

export const conductorGroupRoutes = {
  list: listOf('listConductorGroups', '/v1/conductor-groups', r.conductorGroupInfo, {
    filters: { id: 'text', name: 'text', driver: ['text', 'drivers'], conductor: ['text', 'conductors'] },
    sorts: ['name'],
  }),
};

export const ringRoutes = {
  list: listOf('listRings', '/v1/rings', r.ring, {
    filters: { id: 'text', name: 'text', key: 'text', token: 'id', driver: 'text', group: 'text', mode: 'id' },
    sorts: ['name', 'driver', 'group'],
  }),
  lookup: route('lookupRing', 'GET', '/v1/rings/lookup', {
    summary: 'Who serves a resource',
    query: ringLookupQuery,
    answers: { 200: r.ringLookup },
    example: { query: 'resource=0198c5a0-0000-7000-8000-000000000001' },
  }),
  get: route('getRing', 'GET', '/v1/rings/:key', {
    summary: 'One ring, by its key or its token',
    params: anyParam('key'),
    query: readQuery,
    answers: { 200: r.ring },
  }),
};
