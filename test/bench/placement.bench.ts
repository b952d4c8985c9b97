import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeTable, place, type NodeView, type PlacementRequest } from '@stave/domain';
import { EmbeddedEventStore } from '@stave/platform';
import { performance } from 'node:perf_hooks';
import { numberOption } from './bench-options.js';
import { report, run } from './bench-report.js';

/**
 * `npm run bench -- placement [--nodes n]` measures decisions per second on 5,000 nodes in batches of 2,000 requests of 20 shapes: decisions
 * only, and with the reservations of each batch appended to the cluster's stream, 100 in an event. The table of the nodes is kept from batch
 * to batch, as the snapshot of a cluster is; one figure is with a table that is made for each batch. Baseline: one decision by sorting all
 * nodes, without groups and heaps.
 */
const NODES = numberOption(process.argv, '--nodes', 5000);
const BATCH = 2000;
const SHAPES = 20;
const ROUNDS = 15;
/** Rounds that are not measured, until the functions are compiled. */
const WARM_UP = 15;
const PER_EVENT = 100;

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

/** Members of one set for each shape, which are spread over the zones, apart from each other by node, and prefer the region of their set. */
const sets = (): PlacementRequest[] =>
  requests(true).map(({ id, cpus, memoryMb, tolerations }, i) => ({
    id,
    cpus,
    memoryMb,
    setId: `set-${i % SHAPES}`,
    ...(tolerations && { tolerations }),
    spread: [{ by: 'zone', maxSkew: 2 }],
    affinity: [
      { kind: 'apart', by: 'node' },
      { kind: 'together', by: 'region', mode: 'soft' },
    ],
  }));

function requests(constrained: boolean): PlacementRequest[] {
  return Array.from({ length: BATCH }, (_, i) => {
    const shape = i % SHAPES;
    const plain = { id: `request-${i}`, cpus: 0.1 + shape / 20, memoryMb: 128 + 32 * shape };
    if (!constrained) return plain;
    const place = shape % 2 === 0 ? { zone: `zone-${shape % 3}` } : { region: 'r1' };
    return { ...plain, ...place, nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 'gpu', value: 'yes' }] };
  });
}

function check(batch: readonly PlacementRequest[], decisions: ReturnType<typeof place>): void {
  const left = new Map(nodes.map(node => [node.id, { node, cpus: node.capacity.cpus - node.allocated.cpus }]));
  batch.forEach((request, i) => {
    const decision = decisions[i];
    if (decision?.placed !== true || decision.requestId !== request.id) throw new Error(`${request.id} was not placed`);
    const target = left.get(decision.nodeId);
    if (target === undefined || !target.node.ready || !target.node.schedulable)
      throw new Error(`${decision.nodeId} cannot take ${request.id}`);
    target.cpus -= request.cpus;
    if (target.cpus < -1e-6) throw new Error(`node ${decision.nodeId} has more allocated than its capacity`);
  });
}

interface Rates {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/** Measures the decisions alone. Other processes share the cores, so the rate per second of CPU time is the one to compare. */
function rates(batch: readonly PlacementRequest[], snapshot: () => NodeTable): Rates {
  for (let round = 0; round < WARM_UP; round += 1) check(batch, place(snapshot(), batch, undefined, round));
  let milliseconds = 0;
  let cpu = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = process.cpuUsage();
    const start = performance.now();
    const decisions = place(snapshot(), batch, undefined, round);
    milliseconds += performance.now() - start;
    const { user, system } = process.cpuUsage(begin);
    cpu += user + system;
    check(batch, decisions);
  }
  const decided = ROUNDS * batch.length;
  return { perSecond: (1e3 * decided) / milliseconds, perCpuSecond: (1e6 * decided) / cpu };
}

/** Decides batch after batch and appends the reservations of each. */
async function durable(batch: readonly PlacementRequest[], table: NodeTable): Promise<Rates> {
  const directory = await mkdtemp(join(tmpdir(), 'stave-bench-'));
  const store = await EmbeddedEventStore.open({ directory });
  const metadata = { schemaVersion: 1, time: new Date().toISOString(), correlationId: randomUUID() };
  const stream = `placement-${randomUUID()}`;
  const decided: ReturnType<typeof place>[] = [];
  let revision = -1;
  const begin = process.cpuUsage();
  const started = performance.now();
  for (let round = 0; round < ROUNDS; round += 1) {
    const decisions = place(table, batch, undefined, round);
    decided.push(decisions);
    for (let from = 0; from < decisions.length; from += PER_EVENT) {
      const reservations = decisions.slice(from, from + PER_EVENT).flatMap((decision, i) => {
        const { id: containerId, cpus: wanted, memoryMb } = batch[from + i] ?? {};
        return decision.placed ? [{ containerId, nodeId: decision.nodeId, cpus: wanted, memoryMb }] : [];
      });
      const event = { id: randomUUID(), type: 'PlacementsReserved', data: { reservations }, metadata };
      ({ revision } = await store.append(stream, [event], revision < 0 ? 'no_stream' : revision));
    }
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(begin);
  for (const decisions of decided) check(batch, decisions);
  const written = await store.readStream(stream);
  const reserved = written.flatMap(({ data }) => (data as { readonly reservations: readonly unknown[] }).reservations);
  if (reserved.length !== ROUNDS * batch.length) throw new Error(`${reserved.length} reservations are durable`);
  await store.close();
  await rm(directory, { recursive: true, force: true });
  return { perSecond: reserved.length / seconds, perCpuSecond: (1e6 * reserved.length) / (user + system) };
}

function baseline(): number {
  const start = performance.now();
  const rounds = 100;
  for (let round = 0; round < rounds; round += 1) {
    const free = (node: NodeView): number => node.capacity.cpus - node.allocated.cpus - round / 1000;
    const best = nodes
      .filter(node => node.ready && node.schedulable && free(node) > 0)
      .sort((a, b) => free(b) - free(a))[0];
    if (best === undefined) throw new Error('no node');
  }
  return (1000 * rounds) / (performance.now() - start);
}

run(async () => {
  const kept = new NodeTable(nodes);
  const plain = rates(requests(false), () => kept);
  const constrained = rates(requests(true), () => kept);
  const spread = rates(sets(), () => kept);
  const made = rates(requests(false), () => new NodeTable(nodes));
  const written = await durable(requests(true), kept);
  const share = NODES >= 50_000 ? 0.7 : 1;
  const row = (figure: string, { perSecond, perCpuSecond }: Rates, least?: number) => [
    {
      figure: `decisions, ${figure}`,
      value: perSecond,
      unit: '1/s',
      ...(least && { target: `>= ${(share * least).toLocaleString('en')}` }),
    },
    { figure: `decisions, ${figure}`, value: perCpuSecond, unit: '1/s of CPU' },
  ];
  report('placement', 'embedded event store', { nodes: NODES, batch: BATCH, shapes: SHAPES }, [
    ...row('plain', plain, 150_000),
    ...row('zone or region, labels, taints', constrained, 100_000),
    ...row('hard spread and affinity, taints', spread, 10_000),
    ...row('zone or region, labels, taints, durable', written, 60_000),
    ...row('plain, the table made for each batch', made),
    { figure: 'decisions, sort of all nodes (baseline)', value: baseline(), unit: '1/s' },
  ]);
});
