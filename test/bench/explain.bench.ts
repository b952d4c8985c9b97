import {
  explain,
  NodeTable,
  REMEDY_SEARCH_MS,
  type ExplainInput,
  type NodeView,
  type PlacementRequest,
} from '@stave/domain';
import { numberOption } from './bench-options.js';
import { mustBe, report, run } from './bench-report.js';

/**
 * `npm run bench -- explain [--nodes n]` measures explanations with remedies of containers that no node takes: in a fleet without room, with
 * a selector that no node matches, and with members of a set that must be spread and apart. In milliseconds of CPU time, since other processes
 * share the cores. The search ends after the time that it has in the product, here of CPU time; how often it does is shown, and with `--uncut` it is
 * not ended.
 */
const NODES = numberOption(process.argv, '--nodes', 5000);
const GROUPS = 200;
const ROUNDS = 15;
/** Milliseconds in which the product looks for remedies. */
const TIME_MS = process.argv.includes('--uncut') ? Infinity : REMEDY_SEARCH_MS;

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const nodes = Array.from({ length: NODES }, (_, i): NodeView => ({
  id: `node-${String(i).padStart(6, '0')}`,
  name: `node-${i}`,
  nodeGroupId: `group-${i % GROUPS}`,
  zone: `zone-${i % 3}`,
  region: 'r1',
  ready: i % 50 !== 0,
  schedulable: i % 40 !== 1,
  role: 'worker',
  labels: { disk: i % 2 === 0 ? 'ssd' : 'hdd' },
  taints: i % 10 === 0 ? [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }] : [],
  capacity: { cpus: 16, memoryMb: 65_536 },
  allocated: { cpus: 15.5 + (i % 5) / 10, memoryMb: 60_000 },
  containers: 20,
  held: i % 4 === 0 ? [{ kind: { setId: 's', labels: {} }, count: 1 }] : [],
}));
const groups = Array.from({ length: GROUPS }, (_, i) => ({
  id: `group-${i}`,
  name: `group-${i}`,
  node: { ...nodes[1], id: `new-${i}`, name: `new-${i}`, schedulable: true, allocated: { cpus: 0, memoryMb: 0 } },
  count: NODES / GROUPS,
  maxCount: NODES / GROUPS,
  isAutoscaled: i % 2 === 0,
})).flatMap(({ node, ...group }) => (hasRole(node) ? [{ ...group, node }] : []));

function hasRole(view: Partial<NodeView>): view is NodeView {
  return view.role !== undefined;
}

const movable = new Map(
  nodes.map(({ id }): [string, PlacementRequest[]] => [
    id,
    Array.from({ length: 20 }, (_, i) => ({ id: `${id}-${i}`, cpus: 0.75, memoryMb: 3000 })),
  ]),
);

/** The search asks once in some dozen steps. */
const timer = (since: number) => (): boolean => cpuMs() - since < TIME_MS;

const requests: Readonly<Record<string, PlacementRequest>> = {
  'no room': { id: 'r', cpus: 2, memoryMb: 2048 },
  'no room, nothing grows': { id: 'r', cpus: 2, memoryMb: 2048 },
  'no label': { id: 'r', cpus: 0.1, memoryMb: 128, nodeSelector: { disk: 'nvme' }, zone: 'zone-1' },
  'spread and apart': {
    id: 'r',
    setId: 's',
    cpus: 0.9,
    memoryMb: 128,
    spread: [{ by: 'zone' }],
    affinity: [{ kind: 'apart', by: 'node' }],
  },
};

run(async () => {
  const table = new NodeTable(nodes);
  const figures = Object.entries(requests).flatMap(([title, request]) => {
    const input = (): ExplainInput => ({
      table,
      request,
      ...(title.includes('nothing') ? {} : { groups }),
      movableOn: id => movable.get(id) ?? [],
      moveContainer: id => ({ method: 'POST', path: `/v1/containers/${id}/actions/move` }),
      changeRequest: body => [{ method: 'PATCH', path: '/v1/container-sets/s', body }],
      hasTime: timer(cpuMs()),
    });
    const times: number[] = [];
    let answer = explain(input());
    let cut = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const since = cpuMs();
      const again = explain(input());
      times.push(cpuMs() - since);
      const isCut = !again.search.complete || !answer.search.complete;
      if (!again.search.complete) cut += 1;
      mustBe(isCut || JSON.stringify(again) === JSON.stringify(answer), 'the same snapshot has the same answer');
      answer = again;
    }
    const counted = answer.refusals.reduce((sum, { count }) => sum + count, 0);
    mustBe(answer.nodes.passing === 0 && counted === NODES, 'every node refuses the request');
    mustBe(answer.remedies.length > 0, 'there is a remedy');
    times.sort((a, b) => a - b);
    const note = `${title}: ${answer.remedies.length} remedies, ${answer.search.candidates} simulated`;
    return [
      { figure: `${note}, median`, value: times[ROUNDS >> 1] ?? 0, unit: 'ms of CPU', target: '<= 100' },
      { figure: `${title}, longest`, value: times.at(-1) ?? 0, unit: 'ms of CPU', target: '<= 100' },
      { figure: `${title}, ended before all was tried`, value: cut, unit: `of ${ROUNDS}` },
    ];
  });
  report('explain', 'none', { nodes: NODES, groups: GROUPS }, figures);
  await Promise.resolve();
});
