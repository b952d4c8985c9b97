import { exact, listOf, named, oneOf, primitives as p } from '@stave/contracts/schemas';
import { page } from './resource.schema.js';

const cloudEvent = named(
  'CloudEvent',
  exact(
    {
      specversion: oneOf('1.0'),
      ...p.texts('id', 'type', 'source', 'subject', 'datacontenttype', 'position', 'correlationid'),
      time: p.dateTime,
      data: p.anyObject,
      revision: p.anyInteger,
    },
    {
      ...p.texts('project', 'cluster', 'actor', 'actorname', 'actormethod', 'actorissuer'),
      ...p.texts('causationid', 'idempotencykey', 'operationid', 'traceparent'),
    },
  ),
);

export const eventPage = named('EventPage', page(cloudEvent, {}));

const mark = exact({ revision: p.anyInteger, time: p.dateTime });

export const resourceDiff = exact({
  from: mark,
  to: mark,
  events: { ...p.anyInteger, description: 'the number of events of the resource between the two states' },
  changes: listOf(exact({ pointer: p.anyString }, { from: {}, to: {} })),
});
