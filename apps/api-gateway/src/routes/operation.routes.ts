import { alike, closed, exact, listOf, named, nullable, primitives as p } from '@stave/contracts/schemas';
import type { OperationStatus } from '@stave/domain';
import type { OperationStepStatus } from '@stave/service-kit';
import { eventPage } from '../schemas/event.schemas.js';
import { unionOf, type ListFields } from '../schemas/list-fields.js';
import { eventsQuery, historyQuery, listQuery, stepsQuery, waitQuery } from '../schemas/query.schemas.js';
import { page } from '../schemas/resource.schema.js';
import { anyParams, CANCEL_OPERATION, route } from './route.js';

const status = unionOf<OperationStatus>()('PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED');
const lastError = nullable({ type: ['string', 'object'] });

const stepMembers = {
  ...p.texts('name', 'status'),
  attempts: p.anyInteger,
};
const stepOptions = {
  step: { ...p.anyString, description: 'what the conductor does for this step at present' },
  conductor: { ...p.anyString, description: 'the conductor of the last attempt' },
  lastErrorCode: p.anyString,
  lastError,
  startedAt: p.dateTime,
  finishedAt: p.dateTime,
  nextAttemptAt: { ...p.dateTime, description: 'when a step that is retried is tried again' },
};
const operationStep = named(
  'OperationStep',
  exact(
    { ...stepMembers, resource: exact(p.texts('type', 'id'), { name: p.anyString }), startedAt: p.dateTime },
    stepOptions,
  ),
);
const stepStatus = unionOf<OperationStepStatus>()('PENDING', 'RUNNING', 'RETRYING', 'DONE', 'FAILED');

const operation = named(
  'Operation',
  exact(
    {
      ...p.texts('id', 'name', 'kind', 'projectId'),
      target: exact(p.texts('type', 'id')),
      status,
      progress: exact(alike(p.anyNumber, 'done', 'total', 'percent')),
      steps: {
        ...listOf(closed({ ...stepMembers, ...stepOptions, resource: exact(p.texts('type', 'id')) })),
        description: 'at most 200, those not done first',
      },
      ...alike(p.dateTime, 'createdAt', 'updatedAt'),
      revision: p.anyInteger,
    },
    {
      clusterId: p.anyString,
      error: exact(p.texts('code', 'detail')),
      ...alike(p.dateTime, 'startedAt', 'finishedAt'),
    },
  ),
);

const list: ListFields = {
  filters: {
    id: 'exact',
    kind: 'text',
    status,
    ...alike('exact', 'target.id', 'target.type'),
    ...alike('reference', 'clusterId', 'projectId'),
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
  steps: route('listOperationSteps', 'GET', `${path}/steps`, {
    summary: 'List the steps of an operation, in the order of their first attempts',
    description: 'A step is one task of a conductor. `status=RETRYING` finds those that wait for another attempt.',
    params,
    query: stepsQuery(stepStatus),
    answers: { 200: page(operationStep, {}) },
    example: { query: 'status=RETRYING,FAILED', params: { id: 'n-1' } },
  }),
  cancel: route(CANCEL_OPERATION, 'POST', `${path}/cancel`, {
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
  summary: 'Stream events (SSE), or list them in pages',
  description:
    '`Accept` decides: `text/event-stream` is answered with a stream, `application/json` with a page. Where it prefers none of them, a request with `since` or `order` is answered with a page, and others with a stream.',
  query: eventsQuery,
  answers: { 200: eventPage },
  stream: 'text/event-stream',
  example: { query: 'since=start&limit=5' },
});
