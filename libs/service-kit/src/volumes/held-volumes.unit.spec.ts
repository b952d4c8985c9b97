import type { RecordedEvent } from '@stave/platform';
import { HeldVolumes } from './held-volumes.js';

const held = new HeldVolumes();
const note = (type: string, id: string, data: object = {}): string | undefined =>
  held.note({ type, stream: `volume-${id}`, data } as never as RecordedEvent);
const create = (id: string, more: object = {}): void =>
  void note('VolumeCreated', id, { name: id, clusterId: 'c', scope: 'node', reclaimPolicy: 'retain', ...more });

it('names the retained volumes of nodes and of their clusters, as long as the nodes have their data', () => {
  expect([held.isEmpty, held.on(['n1']), held.inCluster('c')]).toEqual([true, [], []]);
  create('a');
  create('b');
  create('freed', { reclaimPolicy: 'delete' });
  create('far', { scope: 'cluster' });
  for (const id of ['a', 'freed', 'far']) note('VolumeBound', id, { nodeId: 'n1' });
  note('VolumeBound', 'b', { nodeId: 'n2' });
  expect([held.on(['n1']), held.on(['n1', 'n2']), held.inCluster('c'), held.inCluster('d')]).toEqual([
    ['a'],
    ['a', 'b'],
    ['a', 'b'],
    [],
  ]);
  note('VolumeUpdated', 'freed', { reclaimPolicy: 'retain' });
  expect(held.on(['n1'])).toEqual(['a', 'freed']);
  note('VolumeRebound', 'a', { nodeId: 'n1' });
  note('VolumeDeleted', 'freed');
  expect([held.on(['n1']), held.inCluster('c'), held.isEmpty]).toEqual([[], ['b'], false]);
  note('VolumeLost', 'b', { nodeId: 'n2' });
  expect([held.inCluster('c'), held.isEmpty]).toEqual([[], true]);
});

it('says which node an event is about', () => {
  create('v');
  expect(note('VolumeBound', 'v', { nodeId: 'n1' })).toBe('n1');
  expect(note('VolumeBecameUnknown', 'v', { nodeId: 'n1' })).toBeUndefined();
  expect(note('VolumeUpdated', 'v', { reclaimPolicy: 'delete' })).toBe('n1');
  expect(note('VolumeDeleted', 'v')).toBe('n1');
  create('unbound');
  expect(note('VolumeDeleted', 'unbound')).toBeUndefined();
});
