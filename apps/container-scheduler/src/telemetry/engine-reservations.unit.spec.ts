import type { NodeState } from '@stave/domain';
import type { ClusterChanges } from '../scheduling/snapshot-changes.js';
import { EngineReservations } from './engine-reservations.js';

const capacity = { cpus: 2, memoryMb: 1_000 };
const daemons = { cpus: 0.1, memoryMb: 20 };
const sample = (nodeId: string, value: unknown) =>
  ({ at: 't', nodeIds: [nodeId], cpuCores: [0], memoryMb: [0], reserved: [value] }) as never;

describe('what engines hold on nodes', () => {
  let changed: string[];
  let engine: EngineReservations;
  beforeEach(() => {
    changed = [];
    const node = { deleted: false, declared: { nodeGroupId: 'g1', clusterId: 'c1' } } as NodeState;
    const noted = { node: (id: string) => void changed.push(id) } as ClusterChanges;
    engine = new EngineReservations(new Map([['n1', node]]), { in: id => (id === 'c1' ? noted : undefined) });
  });

  const add = (id: string, value: unknown): void => engine.add(sample(id, value), [{ id }]);

  it('is taken from the capacity, and never more than that', () => {
    expect(engine.leftOf('n1', capacity)).toEqual(capacity);
    add('n1', { cpus: 0.5, memoryMb: 300, daemons });
    expect(engine.leftOf('n1', capacity)).toEqual({ cpus: 1.5, memoryMb: 700 });
    add('n1', { cpus: 3, memoryMb: 300, daemons });
    expect(engine.leftOf('n1', capacity)).toEqual({ cpus: 0, memoryMb: 700 });
  });

  it('changes only where another value is known', () => {
    const held = { cpus: 0.5, memoryMb: 300, daemons };
    add('n1', held);
    add('n1', held);
    add('n1', null);
    engine.add({ at: 't', nodeIds: ['n1'], cpuCores: [0], memoryMb: [0] }, [{ id: 'n1' }]);
    expect(changed).toEqual(['n1']);
    expect(engine.heldOf('n1', capacity)).toEqual({ cpus: 0.5, memoryMb: 300 });
    add('n1', { cpus: 0, memoryMb: 0, daemons });
    expect(changed).toEqual(['n1', 'n1']);
    expect(engine.leftOf('n1', capacity)).toEqual(capacity);
  });

  it('is expected on new nodes of a group as far as each of its nodes has it', () => {
    expect(engine.onNewNode('g1', capacity)).toEqual({ cpus: 0, memoryMb: 0 });
    add('n1', { cpus: 0.5, memoryMb: 300, daemons });
    expect(engine.onNewNode('g1', capacity)).toEqual(daemons);
    engine.forgetNode('n1');
    expect(engine.onNewNode('g1', capacity)).toEqual(daemons);
    engine.forgetGroup('g1');
    expect(engine.onNewNode('g1', capacity)).toEqual({ cpus: 0, memoryMb: 0 });
  });

  it('is not taken from a sample that does not count', () => {
    engine.add(sample('n1', { cpus: 1, memoryMb: 1, daemons }), [undefined]);
    expect(changed).toEqual([]);
  });

  it.each([
    ['of nodes that do not exist', 'other', { cpus: 1, memoryMb: 1, daemons }],
    ['below zero', 'n1', { cpus: -1, memoryMb: 1, daemons }],
    ['without numbers', 'n1', { cpus: '1', memoryMb: 1, daemons }],
    ['without the part of all nodes', 'n1', { cpus: 1, memoryMb: 1 }],
    ['that are no object', 'n1', 5],
  ])('values %s are dropped', (_what, nodeId, value) => {
    add(nodeId, value);
    expect(changed).toEqual([]);
    expect(engine.heldOf(nodeId, capacity)).toEqual({ cpus: 0, memoryMb: 0 });
  });
});
