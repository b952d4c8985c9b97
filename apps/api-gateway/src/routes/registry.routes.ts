import * as r from '../schemas/registry.schemas.js';
import { readQuery, ringLookupQuery } from '../schemas/query.schemas.js';
import { CrudRoutes } from './crud.routes.js';
import { anyParam, route } from './route.js';

const drivers = new CrudRoutes({
  one: 'driver',
  many: 'drivers',
  path: '/v1/drivers',
  schema: r.driver,
  list: { filters: ['name'], sorts: ['name'] },
});
const conductors = new CrudRoutes({
  one: 'conductor',
  many: 'conductors',
  path: '/v1/conductors',
  schema: r.conductor,
  list: { filters: ['id', 'group', 'state'], sorts: ['id'] },
  writeAccess: 'operator',
});
const groups = new CrudRoutes({
  one: 'conductorGroup',
  many: 'conductorGroups',
  path: '/v1/conductor-groups',
  schema: r.conductorGroupInfo,
  list: { filters: ['name'], sorts: ['name'] },
});
const rings = new CrudRoutes({
  one: 'ring',
  many: 'rings',
  path: '/v1/rings',
  schema: r.ring,
  list: { filters: ['key'], sorts: ['key'] },
});

export const driverRoutes = {
  list: drivers.list(),
  get: route('getDriver', 'GET', '/v1/drivers/:name', {
    summary: 'One driver that live conductors offer',
    params: anyParam('name'),
    query: readQuery,
    answers: { 200: r.driver, 304: null },
  }),
};

export const conductorRoutes = {
  list: conductors.list(),
  get: route('getConductor', 'GET', '/v1/conductors/:id', {
    summary: 'One conductor',
    params: anyParam('id'),
    query: readQuery,
    answers: { 200: r.conductor, 304: null },
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

export const conductorGroupRoutes = { list: groups.list() };

export const ringRoutes = {
  list: rings.list(),
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
    answers: { 200: r.ring, 304: null },
  }),
};
