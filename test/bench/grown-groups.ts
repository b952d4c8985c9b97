import {
  fullNodeGroupAutoscaling,
  growNodeGroups,
  simulatedPlacement,
  type NodeView,
  type PlacementRequest,
  type Place,
  type ScaledGroup,
} from '@stave/domain';
import { mustBe, report } from './bench-report.js';

const GROUPS = 200;
const NODES = 5_000;
const WAITING = 500;
const ROUNDS = 12;
/** Of the specification. */
const TARGET_MS = 500;

const sizes = [2, 4, 8, 16];

function node(id: string, i: number, used: boolean): NodeView {
  const group = i % GROUPS;
  const cpus = sizes[group % sizes.length] ?? 4;
  const capacity = { cpus, memoryMb: cpus * 2000 };
  return {
    id,
    name: id,
    nodeGroupId: `group-${group}`,
    zone: `zone-${i % 3}`,
    ready: true,
    schedulable: true,
    role: 'worker',
    labels: { pool: `pool-${group}` },
    taints: [],
    capacity,
    allocated: used ? capacity : { cpus: 0, memoryMb: 0 },
    containers: used ? 4 : 0,
  };
}

const groupOf = (_: unknown, i: number): ScaledGroup => ({
  id: `group-${i}`,
  name: `group-${i}`,
  count: NODES / GROUPS,
  minCount: 0,
  maxCount: 100,
  autoscaling: fullNodeGroupAutoscaling({ enabled: true, priority: 100 + (i % 3) }),
  nextNode: n => node(`group-${i}-new-${n}`, i + GROUPS * n, false),
});

/** Requests of ten shapes: some for one pool, some for one zone. */
const requestOf = (_: unknown, i: number): PlacementRequest => {
  const shape = i % 10;
  const size = { cpus: 0.5 + (shape % 4) * 0.5, memoryMb: 500 + shape * 100 };
  const selector = shape % 3 === 0 ? { nodeSelector: { pool: `pool-${shape * 7}` } } : {};
  return { id: `waiting-${i}`, ...size, ...selector, ...(shape % 3 === 1 ? { zone: 'zone-1' } : {}) };
};

/** Measures the decision which of 200 node groups grow in a full cluster of 5,000 nodes, in milliseconds of CPU. */
export function benchGrownGroups(): void {
  const nodes = Array.from({ length: NODES }, (_, i) => node(`node-${i}`, i, true));
  const groups = Array.from({ length: GROUPS }, groupOf);
  const waiting = Array.from({ length: WAITING }, requestOf);
  const times: number[] = [];
  let calls = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    calls = 0;
    const placing = simulatedPlacement(1);
    const begin = process.cpuUsage();
    const counted: Place = (...asked) => {
      calls += 1;
      return placing(...asked);
    };
    const { proposals } = growNodeGroups({ now: 0, nodes, waiting, groups, place: counted });
    mustBe(proposals.length > 0, 'groups grow');
    const { user, system } = process.cpuUsage(begin);
    times.push((user + system) / 1000);
  }
  const [cold = 0, ...warm] = times;
  warm.sort((a, b) => a - b);
  report('autoscale: growth', 'in memory', { nodes: NODES, groups: GROUPS, waiting: WAITING, simulations: calls }, [
    { figure: 'growth decision, cold', value: cold, unit: 'ms of CPU' },
    { figure: 'growth decision, median', value: warm[warm.length >> 1] ?? 0, unit: 'ms of CPU' },
    { figure: 'growth decision, max', value: warm.at(-1) ?? 0, unit: 'ms of CPU', target: `<= ${TARGET_MS}` },
  ]);
}
