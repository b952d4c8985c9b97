import { place, type NodeView, type PlacementDecision, type PlacementRequest } from '@stave/domain';
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';

/**
 * `npm run bench -- placement`: decisions per second at 5,000 nodes in batches of 2,000 requests of 20 shapes, decide
 * only. Yardstick of the same run: one decision by sorting all nodes, without groups and heaps.
 */
const NODES = 5000;
const BATCH = 2000;
const SHAPES = 20;
const ROUNDS = 15;

const nodes = Array.from({ length: NODES }, (_, i): NodeView => {
  const id = `7d0c4a52-51b3-4a5e-9c58-${i.toString(16).padStart(12, '0')}`;
  return {
    id,
    name: `node-${i}`,
    nodeGroupId: `group-${i % 10}`,
    zone: `zone-${i % 3}`,
    region: 'r1',
    ready: i % 50 !== 0,
    schedulable: i % 40 !== 1,
    role: 'worker',
    labels: { disk: i % 2 === 0 ? 'ssd' : 'hdd', rack: `rack-${i % 25}` },
    taints: i % 10 === 0 ? [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] : [],
    capacity: { cpus: 16, memoryMb: 65_536 },
    allocated: { cpus: (i * 7) % 12, memoryMb: ((i * 13) % 48) * 1024 },
    containers: i % 8,
  };
});

function requests(constrained: boolean): PlacementRequest[] {
  return Array.from({ length: BATCH }, (_, i) => {
    const shape = i % SHAPES;
    const plain = { id: `request-${i}`, cpus: 0.1 + shape / 20, memoryMb: 128 + 32 * shape };
    if (!constrained) return plain;
    const place = shape % 2 === 0 ? { zone: `zone-${shape % 3}` } : { region: 'r1' };
    return { ...plain, ...place, nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'gpu', value: 'yes' }] };
  });
}

function check(batch: readonly PlacementRequest[], decisions: readonly PlacementDecision[]): void {
  const left = new Map(nodes.map(node => [node.id, { node, cpus: node.capacity.cpus - node.allocated.cpus }]));
  batch.forEach((request, i) => {
    const decision = decisions[i];
    if (decision?.placed !== true || decision.requestId !== request.id) throw new Error(`${request.id} was not placed`);
    const target = left.get(decision.nodeId);
    if (target === undefined || !target.node.ready || !target.node.schedulable)
      throw new Error('a node that is not able');
    target.cpus -= request.cpus;
    if (target.cpus < -1e-6) throw new Error(`node ${decision.nodeId} was overspent`);
  });
}

function perSecond(batch: readonly PlacementRequest[]): number {
  for (let round = 0; round < 3; round += 1) check(batch, place(nodes, batch, undefined, round));
  let milliseconds = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const start = performance.now();
    const decisions = place(nodes, batch, undefined, round);
    milliseconds += performance.now() - start;
    check(batch, decisions);
  }
  return Math.round((1000 * ROUNDS * batch.length) / milliseconds);
}

function yardstick(): number {
  const start = performance.now();
  const rounds = 100;
  for (let round = 0; round < rounds; round += 1) {
    const free = (node: NodeView): number => node.capacity.cpus - node.allocated.cpus - round / 1000;
    const best = nodes
      .filter(node => node.ready && node.schedulable && free(node) > 0)
      .sort((a, b) => free(b) - free(a))[0];
    if (best === undefined) throw new Error('no node');
  }
  return Math.round((1000 * rounds) / (performance.now() - start));
}

const figures = {
  bench: 'placement',
  cores: cpus().length,
  adapters: 'none',
  nodes: NODES,
  batch: BATCH,
  shapes: SHAPES,
  plainPerSecond: perSecond(requests(false)),
  constrainedPerSecond: perSecond(requests(true)),
  yardstickSortPerSecond: yardstick(),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
console.table([
  { figure: 'decisions/s, plain', value: figures.plainPerSecond, target: '>= 50,000' },
  { figure: 'decisions/s, zone or region + labels + taints', value: figures.constrainedPerSecond, target: '>= 10,000' },
  { figure: 'decisions/s, sort of all nodes (yardstick)', value: figures.yardstickSortPerSecond, target: '' },
]);
