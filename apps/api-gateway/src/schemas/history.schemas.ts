import { exact, listOf, primitives as p } from '@stave/contracts/schemas';

const mark = exact({ revision: p.anyInteger, time: p.dateTime });

/** The differences between two states of a resource. */
export const resourceDiff = exact({
  from: mark,
  to: mark,
  events: { ...p.anyInteger, description: 'the number of events of the resource between the two states' },
  changes: listOf(exact({ pointer: p.anyString }, { from: {}, to: {} })),
});
