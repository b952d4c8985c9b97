import { closed, exact, listOf, named, nullable, oneOf, primitives as p } from '@stave/contracts/schemas';
import { operationStatuses } from './statuses.js';

const step = closed({
  name: p.anyString,
  status: p.anyString,
  attempts: p.anyInteger,
  lastError: nullable({ type: ['string', 'object'] }),
});

export const operation = named(
  'Operation',
  exact(
    {
      id: p.anyString,
      name: p.anyString,
      kind: p.anyString,
      target: exact({ type: p.anyString, id: p.anyString }),
      projectId: p.anyString,
      status: oneOf(...operationStatuses.oneOf),
      progress: exact({ done: p.anyNumber, total: p.anyNumber, percent: p.anyNumber }),
      steps: listOf(step),
      createdAt: p.dateTime,
      updatedAt: p.dateTime,
      revision: p.anyInteger,
    },
    {
      clusterId: p.anyString,
      error: exact({ code: p.anyString, detail: p.anyString }),
      startedAt: p.dateTime,
      finishedAt: p.dateTime,
    },
  ),
);
