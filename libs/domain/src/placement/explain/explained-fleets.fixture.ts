import fc from 'fast-check';
import type { AffinityRule, NodeView, PlacementRequest } from '../model.js';
import { NodeTable } from '../node-table.js';
import { node, request } from '../placement.fixture.js';
import type { ExplainInput, GrowableGroup } from './model.js';

const kind = (setId: string) => ({ setId, labels: {} });
export const views = fc
  .array(
    fc.record({
      zone: fc.constantFrom('a', 'b'),
      ready: fc.constantFrom(true, true, true, false),
      schedulable: fc.constantFrom(true, true, false),
      disk: fc.constantFrom('ssd', 'hdd'),
      tainted: fc.constantFrom(false, false, true),
      used: fc.integer({ min: 2, max: 8 }),
      members: fc.nat({ max: 2 }),
      port: fc.boolean(),
    }),
    { minLength: 1, maxLength: 5 },
  )
  .map(list =>
    list.map(({ disk, tainted, used, members, port, ...rest }, i): NodeView =>
      node({
        ...rest,
        id: `n${i}`,
        name: `n${i}`,
        labels: { disk },
        taints: tainted ? [{ key: 'gpu', effect: 'NoSchedule' }] : [],
        allocated: { cpus: used / 2, memoryMb: 500 * used },
        containers: used,
        held: members > 0 ? [{ kind: kind('s'), count: members }] : [],
        hostPorts: port ? [{ port: 80, protocol: 'tcp' }] : [],
      }),
    ),
  );
export const wanted = fc
  .record(
    {
      setId: fc.constant('s'),
      zone: fc.constantFrom('a', 'b', 'c'),
      nodeSelector: fc.constantFrom({ disk: 'ssd' }, { disk: 'nvme' }),
      hostPorts: fc.constant([{ port: 80, protocol: 'tcp' as const }]),
      spread: fc.constant([{ by: 'zone', maxSkew: 1 }]),
      affinity: fc.constantFrom<AffinityRule[]>([{ kind: 'apart', by: 'node' }], [{ kind: 'together', by: 'zone' }]),
      cpus: fc.constantFrom(0.5, 1, 2, 5),
    },
    { requiredKeys: ['cpus'] },
  )
  .map(over => request({ memoryMb: 1000, ...over }));
export const groups = fc.array(
  fc
    .record({
      count: fc.integer({ min: 1, max: 2 }),
      maxCount: fc.constantFrom(2, 9),
      isAutoscaled: fc.boolean(),
      zone: fc.constantFrom('a', 'b'),
    })
    .map(({ zone, ...rest }): GrowableGroup => {
      const next = node({ id: 'new-g', name: 'new-g', zone, labels: { disk: 'ssd' } });
      return { id: 'g', name: 'g', node: next, ...rest };
    }),
  { maxLength: 1 },
);
/** Half a CPU and 500 MB each, without a set. */
export const movableOn = (nodeId: string): readonly PlacementRequest[] =>
  nodeId === 'n0' || nodeId === 'n1'
    ? [1, 2].map(i => request({ id: `${nodeId}-${i}`, cpus: 0.5, memoryMb: 500 }))
    : [];
export const action = { method: 'POST', path: '/x' } as const;

/** The member that the request replaces, of its set and of this size, is on the first node that has members. */
export const sizes = fc.option(fc.constantFrom(0.5, 1), { nil: undefined });
export const goAction = { method: 'PATCH', path: '/set/go' } as const;

function predecessorIn(
  nodes: readonly NodeView[],
  asked: PlacementRequest,
  cpus: number | undefined,
): Pick<ExplainInput, 'predecessor'> {
  const at = nodes.find(({ held = [] }) => held.length > 0);
  if (cpus === undefined || asked.setId === undefined || !at) return {};
  const old = request({ id: 'old', setId: 's', labels: {}, cpus, memoryMb: 500 });
  return { predecessor: { nodeId: at.id, request: old, actions: [goAction] } };
}

export function inputOf(
  nodes: readonly NodeView[],
  asked: PlacementRequest,
  grown: readonly GrowableGroup[],
  size?: number,
): ExplainInput {
  return {
    table: new NodeTable(nodes),
    request: asked,
    ...predecessorIn(nodes, asked, size),
    groups: grown,
    movableOn,
    changeRequest: body => [{ method: 'PATCH', path: '/request', body }],
    moveContainer: id => ({ method: 'POST', path: `/move/${id}` }),
  };
}
