import { exact, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import { page } from '../schemas/resource.schema.js';
import { anyParams, route } from './route.js';

const collection = { collection: p.anyString, version: p.anyInteger };
const readModel = named(
  'ReadModel',
  exact({
    ...p.texts('id', 'service', 'name'),
    status: oneOf('READY', 'REQUESTED', 'BUILDING'),
    version: p.anyInteger,
    serving: nullable(exact({ ...collection, builtAt: p.dateTime })),
    building: nullable(exact({ ...collection, startedAt: p.dateTime, ...p.integers('written', 'total') })),
  }),
);

const path = '/v1/read-models/:id';
const example = { params: { id: 'nodegroup-service.nodes' } };
const one = { access: 'operator', params: anyParams(path), example } as const;

export const readModelRoutes = {
  list: route('listReadModels', 'GET', '/v1/read-models', {
    summary: 'List the read models of all services',
    access: 'operator',
    answers: { 200: page(readModel) },
  }),
  get: route('getReadModel', 'GET', path, {
    ...one,
    summary: 'Get a read model and the progress of its rebuild',
    answers: { 200: readModel },
  }),
  rebuild: route('rebuildReadModel', 'POST', `${path}/actions/rebuild`, {
    ...one,
    summary: 'Rebuild a read model from the event log',
    description:
      'The present read model answers lists until the new one is complete. It changes no resource: its plan is empty.',
    answers: { 202: readModel },
  }),
};
