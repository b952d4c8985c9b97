import { exact, listOf, named, oneOf, primitives as p } from '@stave/contracts/schemas';

export const cloudEvent = named(
  'CloudEvent',
  exact(
    {
      specversion: oneOf('1.0'),
      id: p.anyString,
      type: p.anyString,
      source: p.anyString,
      subject: p.anyString,
      time: p.dateTime,
      datacontenttype: p.anyString,
      data: p.anyObject,
      revision: p.anyInteger,
      position: p.anyString,
      correlationid: p.anyString,
    },
    {
      project: p.anyString,
      cluster: p.anyString,
      actor: p.anyString,
      causationid: p.anyString,
      idempotencykey: p.anyString,
      operationid: p.anyString,
    },
  ),
);

export const eventPage = named(
  'EventPage',
  exact({ items: listOf(cloudEvent), nextCursor: { type: ['string', 'null'] } }),
);
