import { listOf, named, nullable, open } from './json-schema.js';
import * as p from './primitive.schemas.js';

const step = open({
  name: p.anyString,
  status: p.anyString,
  attempts: p.anyInteger,
  lastError: nullable({ type: ['string', 'object'] }),
});

export const operation = named(
  'Operation',
  open(
    {
      id: p.anyString,
      kind: p.anyString,
      target: open({ type: p.anyString, id: p.anyString }),
      status: { type: 'string', enum: ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] },
      progress: open({ done: p.anyNumber, total: p.anyNumber, percent: p.anyNumber }),
      steps: listOf(step),
      error: nullable({ type: ['string', 'object'] }),
      createdAt: p.dateTime,
      startedAt: nullable(p.dateTime),
      finishedAt: nullable(p.dateTime),
    },
    ['id', 'kind', 'status'],
  ),
);
