import { readModel } from '../schemas/read-model.schemas.js';
import { page } from '../schemas/resource.schema.js';
import { anyParams, route } from './route.js';

const path = '/v1/read-models/:id';
const params = anyParams(path);
const example = { params: { id: 'nodegroup-service.nodes' } };

export const readModelRoutes = {
  list: route('listReadModels', 'GET', '/v1/read-models', {
    summary: 'List the read models of all services',
    access: 'operator',
    answers: { 200: page(readModel) },
  }),
  get: route('getReadModel', 'GET', path, {
    summary: 'Get a read model and the progress of its rebuild',
    access: 'operator',
    params,
    answers: { 200: readModel },
    example,
  }),
  rebuild: route('rebuildReadModel', 'POST', `${path}/actions/rebuild`, {
    summary: 'Rebuild a read model from the event log',
    description: 'The present read model answers lists until the new one is complete.',
    access: 'operator',
    params,
    answers: { 202: readModel },
    example,
  }),
};
