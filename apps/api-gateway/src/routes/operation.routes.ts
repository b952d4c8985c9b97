import { eventPage } from '../schemas/event.schemas.js';
import { operation } from '../schemas/operation.schemas.js';
import { eventsQuery, historyQuery, listQuery, waitQuery } from '../schemas/query.schemas.js';
import type { ListFields } from '../schemas/list-fields.js';
import { page } from '../schemas/resource.schema.js';
import { operationStatuses } from '../schemas/statuses.js';
import { anyParams, route } from './route.js';

const list: ListFields = {
  filters: {
    id: 'id',
    kind: 'text',
    status: operationStatuses,
    'target.id': 'id',
    'target.type': 'id',
    clusterId: 'reference',
    projectId: 'reference',
  },
  sorts: ['createdAt'],
};
const path = '/v1/operations/:id';
const params = anyParams(path);

export const operationRoutes = {
  list: route('listOperations', 'GET', '/v1/operations', {
    summary: 'List the operations of all services, newest first',
    query: listQuery(list),
    list,
    answers: { 200: page(operation) },
    example: { query: 'status=RUNNING,PENDING&limit=10' },
  }),
  get: route('getOperation', 'GET', path, {
    summary: 'Get an operation; with `wait` the response waits until the operation has ended',
    params,
    query: waitQuery,
    answers: { 200: operation },
    example: { query: 'wait=1s', params: { id: 'c-1' } },
  }),
  cancel: route('cancelOperation', 'POST', `${path}/cancel`, {
    summary: 'Cancel an operation',
    params,
    answers: { 202: operation },
    example: { params: { id: 'n-1' } },
  }),
  history: route('listOperationEvents', 'GET', `${path}/events`, {
    summary: 'List the events of an operation, oldest first',
    params,
    query: historyQuery,
    answers: { 200: eventPage },
    example: { params: { id: 's-1' } },
  }),
};

export const eventsRoute = route('streamEvents', 'GET', '/v1/events', {
  summary: 'Stream events (SSE), or list them in pages with `since`',
  query: eventsQuery,
  answers: { 200: eventPage },
  stream: 'text/event-stream',
  example: { query: 'since=start&limit=5' },
});
