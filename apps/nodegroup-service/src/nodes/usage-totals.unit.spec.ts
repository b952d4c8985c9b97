import { UsedNode } from './node-usage.js';
import { UsageTotals } from './usage-totals.js';

const at = '2026-01-01T00:00:00.000Z';
const places = new Map([
  ['n1', { clusterId: 'k1', nodeGroupId: 'g1' }],
  ['n2', { clusterId: 'k1', nodeGroupId: 'g2' }],
]);

it('a cluster and a node group show what their nodes use, and the containers on them beside it', () => {
  const totals = new UsageTotals(
    id => places.get(id),
    () => Date.parse(at),
  );
  const nodes = [...places].map(([id, { clusterId, nodeGroupId }]) => new UsedNode(id, clusterId, nodeGroupId));
  const [n1, n2] = nodes;
  const used = { at, nodeIds: ['gone', 'n1', 'n2'], cpuCores: [9, 1, 2], memoryMb: [90, 10, 20] };
  totals.addNodes(used, [undefined, n1, n2]);
  totals.addNodes(used, [undefined, n1, n2]);
  const containers = { containerIds: ['c1', 'c2'], nodeIds: ['n1', 'n1'], cpuCores: [0.25, 0.5], memoryMb: [5, 6] };
  totals.addContainers({ at, periodMs: 10_000, ...containers });
  expect(totals.over('k1', 60_000)).toMatchObject({
    nodes: { units: 2, known: true, mean: { cpuCores: 3, memoryMb: 30 } },
    containers: { units: 2, mean: { cpuCores: 0.75, memoryMb: 11 } },
  });
  expect(totals.over('g2', 60_000)).toMatchObject({
    nodes: { units: 1, mean: { cpuCores: 2, memoryMb: 20 } },
    containers: { units: 0, known: false, mean: null },
  });
});
