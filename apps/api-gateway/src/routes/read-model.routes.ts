import { readModel } from '../schemas/read-model.schemas.js';
import { page } from '../schemas/resource.schema.js';
import { anyParam, route } from './route.js';

const params = anyParam('id');
const example = { params: { id: 'nodegroup-service.nodes' } };

export const readModelRoutes = {
  list: route('listReadModels', 'GET', '/v1/read-models', {
    summary: 'What lists are answered from, of all services',
    access: 'operator',
    answers: { 200: page(readModel) },
  }),
  get: route('getReadModel', 'GET', '/v1/read-models/:id', {
    summary: 'One read model, and how far a build of it is',
    access: 'operator',
    params,
    answers: { 200: readModel },
    example,
  }),
  rebuild: route('rebuildReadModel', 'POST', '/v1/read-models/:id/actions/rebuild', {
    summary: 'Build a read model anew from the log',
    description: 'Lists are answered from the present one until the new one is whole.',
    access: 'operator',
    params,
    answers: { 202: readModel },
    example,
  }),
};
