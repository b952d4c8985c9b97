import { listOf, named, open } from './json-schema.js';
import * as p from './primitive.schemas.js';

export const cloudEvent = named(
  'CloudEvent',
  open(
    {
      specversion: { type: 'string', enum: ['1.0'] },
      id: p.anyString,
      type: p.anyString,
      source: p.anyString,
      subject: p.anyString,
      time: p.dateTime,
      datacontenttype: p.anyString,
      data: p.anyObject,
      project: p.anyString,
      cluster: p.anyString,
      revision: p.anyInteger,
      position: p.anyString,
      actor: p.anyString,
      correlationid: p.anyString,
      causationid: p.anyString,
      idempotencykey: p.anyString,
      operationid: p.anyString,
    },
    ['specversion', 'id', 'type', 'source'],
  ),
);

export const eventPage = named(
  'EventPage',
  open({ items: listOf(cloudEvent), nextCursor: { type: ['string', 'null'] } }, ['items', 'nextCursor']),
);
