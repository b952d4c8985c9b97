import type { Actor } from '@stave/contracts';
import type { RecordedEvent } from '@stave/platform';
import { EventFrame, type EventBatch } from './event-batch.js';
import { eventFilter, type EventSelection } from './event-filter.js';
import { ReaderGroups, type EventReader } from './reader-groups.js';

const operator: Actor = { keyId: 'k1', name: 'operator', role: 'admin', project: null };
const member: Actor = { keyId: 'k2', name: 'member', role: 'member', project: 'p1' };

function anEvent(position: number, stream: string, project?: string, clusterId?: string): RecordedEvent {
  const metadata = { time: '2026-11-24T00:00:00.000Z', schemaVersion: 1, project, clusterId };
  return {
    id: `e${position}`,
    stream,
    revision: 0,
    position,
    type: 'NodeUpdated',
    data: {},
    metadata,
  } as RecordedEvent;
}

const events = [
  anEvent(1, 'cluster-c1', 'p1'),
  anEvent(2, 'node-n1', 'p1', 'c1'),
  anEvent(3, 'node-n2', 'p2', 'c2'),
  anEvent(4, 'nodeGroup-g1', 'p1', 'c1'),
];
const frames = events.map(event => new EventFrame(event, '/stave'));

interface Reading extends EventReader {
  readonly batches: EventBatch[];
}

function aReader(actor: Actor, selection: EventSelection = {}): Reading {
  const batches: EventBatch[] = [];
  return { batches, filter: eventFilter(actor, selection), take: batch => void batches.push(batch) };
}

const positionsOf = ({ batches }: Reading): readonly number[] =>
  batches.flatMap(batch => batch.frames.map(({ event }) => event.position));

describe('the readers of new events', () => {
  it.each<[string, Actor, EventSelection, readonly number[]]>([
    ['an operator without a filter', operator, {}, [1, 2, 3, 4]],
    ['a member without a filter', member, {}, [1, 2, 4]],
    ['a cluster', operator, { cluster: 'c1' }, [1, 2, 4]],
    ['a cluster of another project', member, { cluster: 'c2' }, []],
    ['a project', operator, { project: 'p2' }, [3]],
    ['a resource by its id', operator, { resource: 'n2' }, [3]],
    ['a resource by its type and id', member, { resource: 'nodeGroup/g1' }, [4]],
    ['a resource of another cluster', member, { resource: 'n1', cluster: 'c2' }, []],
    ['a type', operator, { types: ['stave.node.*'] }, [2, 3]],
  ])('receive what their filter selects: %s', (_, actor, selection, expected) => {
    const groups = new ReaderGroups();
    const reader = aReader(actor, selection);
    groups.add(reader);
    groups.distribute(frames);
    expect(positionsOf(reader)).toEqual(expected);
    expect(events.filter(reader.filter.selects).map(({ position }) => position)).toEqual(expected);
  });

  it('share the batch, and thereby its bytes, when their filters are equal', () => {
    const groups = new ReaderGroups();
    const [first, second, other] = [
      aReader(operator, { cluster: 'c1', project: 'p1' }),
      aReader(operator, { project: 'p1', cluster: 'c1' }),
      aReader(member, { cluster: 'c1', project: 'p1' }),
    ];
    for (const reader of [first, second, other]) groups.add(reader);
    groups.distribute(frames);
    expect(second.batches).toEqual(first.batches);
    expect(second.batches[0]).toBe(first.batches[0]);
    expect(second.batches[0]?.bytes).toBe(first.batches[0]?.bytes);
    expect(other.batches[0]).not.toBe(first.batches[0]);
    expect(positionsOf(other)).toEqual(positionsOf(first));
  });

  it('are asked only about events of their topic', () => {
    const groups = new ReaderGroups();
    const filter = eventFilter(operator, { cluster: 'c2' });
    const selects = jest.fn(filter.selects);
    groups.add({ ...aReader(operator), filter: { ...filter, selects } });
    groups.distribute(frames);
    expect(selects.mock.calls.map(([event]) => event.position)).toEqual([3]);
  });

  it('receive nothing after they have left, while others of their group do', () => {
    const groups = new ReaderGroups();
    const [left, stays] = [aReader(member), aReader(member)];
    groups.add(left);
    groups.add(stays);
    groups.delete(left);
    groups.distribute(frames);
    groups.delete(stays);
    groups.distribute(frames);
    expect(left.batches).toEqual([]);
    expect(positionsOf(stays)).toEqual([1, 2, 4]);
  });

  it('receive only the part of a batch that is new to them', () => {
    const groups = new ReaderGroups();
    const reader = aReader(operator);
    groups.add(reader);
    groups.distribute(frames);
    const [batch] = reader.batches;
    expect(batch?.after(0)).toBe(batch);
    expect(batch?.after(2).frames.map(({ event }) => event.position)).toEqual([3, 4]);
    expect(batch?.after(2).bytes.toString()).toBe(`${frames[2]?.text}${frames[3]?.text}`);
  });
});
