import fc from 'fast-check';
import { isNodeInService, nodeStream, type DomainEvent, type NodeEvent, type NodeState } from '@stave/domain';
import { EmbeddedEventStore, type RecordedEvent } from '@stave/platform';
import { NodeRollup } from './node-rollup.js';

const kinds = ['active', 'unreachable', 'remove', 'delete', 'cordon', 'rebuild', 'drained'] as const;
const spec = { flavor: { cpus: 1, memoryMb: 512 }, labels: {}, taints: [], options: {} };

const happens: Readonly<Record<(typeof kinds)[number], DomainEvent>> = {
  active: { type: 'NodeBecameActive', data: {} },
  unreachable: { type: 'NodeBecameUnreachable', data: { state: 'missing', reason: 'gone' } },
  remove: { type: 'NodeRemovalRequested', data: { operationId: 'o', reason: 'asked' } },
  delete: { type: 'NodeDeleted', data: {} },
  cordon: { type: 'NodeCordoned', data: {} },
  rebuild: { type: 'NodeRebuildRequested', data: { operation: { id: 'r', kind: 'node.rebuild', total: 1 } } },
  drained: { type: 'NodeDrained', data: {} },
};

const declared = (node: number): DomainEvent => {
  const [id, role] = [`n${node}`, node % 3 === 0 ? 'manager' : 'worker'];
  const own = { id, name: id, groupName: 'w', nodeGroupId: 'g', clusterId: `c${node % 2}`, projectId: 'p' };
  return { type: 'NodeDeclared', data: { ...own, ordinal: node, operationId: 'o', spec: { ...spec, role } } };
};

/** A log of these events: nodes are declared by their first. */
function logOf(changes: readonly (readonly [number, (typeof kinds)[number]])[]): RecordedEvent[] {
  const revisions = new Map<number, number>();
  return changes
    .flatMap(([node, kind]) => {
      const known = revisions.get(node);
      revisions.set(node, known === undefined ? 0 : known + 1);
      return [
        {
          node,
          revision: known === undefined ? 0 : known + 1,
          event: known === undefined ? declared(node) : happens[kind],
        },
      ];
    })
    .map(({ node, revision, event }, position) => {
      const metadata = { schemaVersion: 1, time: '2026-01-01T00:00:00.000Z', correlationId: 'c' };
      return { id: `e${position}`, stream: `node-n${node}`, revision, position, ...event, metadata };
    });
}

function countedAnew(log: readonly RecordedEvent[], clusterId: string) {
  const states = new Map<string, NodeState>();
  for (const event of log) {
    const next = nodeStream.evolve(states.get(event.stream), event as unknown as NodeEvent, event.metadata.time);
    if (next) states.set(event.stream, next);
  }
  const own = [...states.values()].filter(({ declared: d, deleted }) => d.clusterId === clusterId && !deleted);
  const counted = (nodes: readonly NodeState[]) => ({
    total: nodes.length,
    ready: nodes.filter(isNodeInService).length,
  });
  const by = (key: (node: NodeState) => string) =>
    [...new Set(own.map(key))].map(value => [value, own.filter(node => key(node) === value)] as const);
  return {
    ...counted(own),
    byStatus: Object.fromEntries(by(node => node.status).map(([status, nodes]) => [status, nodes.length])),
    byRole: Object.fromEntries(by(node => node.declared.spec.role).map(([role, nodes]) => [role, counted(nodes)])),
  };
}

it('the node counts of a cluster equal a count over all nodes after any sequence of events, repeated ones included', async () => {
  const store = await EmbeddedEventStore.open({ memory: true });
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(5), fc.constantFrom(...kinds)), { maxLength: 60 }),
      fc.nat(60),
      (changes, again) => {
        const log = logOf(changes);
        const rollup = new NodeRollup(store);
        for (const event of [...log.slice(0, again), ...log]) rollup.take(event.stream.slice('node-'.length), event);
        for (const clusterId of ['c0', 'c1']) expect(rollup.counts(clusterId)).toEqual(countedAnew(log, clusterId));
      },
    ),
    { numRuns: 300 },
  );
  await store.close();
});
