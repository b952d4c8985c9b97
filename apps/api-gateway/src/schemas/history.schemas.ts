import { listOf, open } from './json-schema.js';
import { anyInteger, anyString, dateTime } from './primitive.schemas.js';

const mark = open({ revision: anyInteger, time: dateTime }, ['revision', 'time']);

/** What changed of a resource between two moments. */
export const resourceDiff = open(
  {
    from: mark,
    to: mark,
    events: { ...anyInteger, description: 'events of the resource between the two' },
    changes: listOf(open({ pointer: anyString, from: {}, to: {} }, ['pointer'])),
  },
  ['from', 'to', 'events', 'changes'],
);
