import { setTimeout as delay } from 'node:timers/promises';
import {
  blankMemory,
  completeAutoscaling,
  containerSetStream,
  defaultSetBackoff,
  defaultSetStrategy,
  evaluateSet,
  type AutoscalerMemory,
  type ContainerSetEvent,
  type ContainerSetState,
  type DemandSample,
} from '@stave/domain';
import type { Resource } from '../demo/api-client.js';
import { numberOption } from './bench-options.js';
import { mustBe, report } from './bench-report.js';
import { startEmbedded, type EmbeddedProduct } from './embedded-product.js';

const LIMIT = 0.5;
const TARGET = 0.8;
/** CPUs of each member, before the change at 0.63 of the target and after it at 1.25 of it. */
const USE = { before: 0.35, after: LIMIT };
const NODES = 20;
const WAIT_MS = 60_000;
const EVALUATED = { sets: 200, members: 50, rounds: 200 };

interface SetView extends Resource {
  readonly desired: number;
}

interface EventPage {
  readonly items: readonly {
    readonly time: string;
    readonly type: string;
    readonly data: { readonly desired?: number; readonly cause?: { readonly load?: { readonly at: string } } };
  }[];
}

const autoscaling = completeAutoscaling({
  enabled: true,
  metrics: [{ resource: 'cpu', target: TARGET }],
  windowSeconds: 5,
  intervalSeconds: 1,
  warmUpSeconds: 0,
  scaleIn: { stabilisationSeconds: 3600 },
});

async function succeed({ api }: EmbeddedProduct, request: Promise<Resource>): Promise<Resource> {
  const accepted = await request;
  const { status } = await api.finished(accepted.operationId ?? '', undefined, 600_000);
  mustBe(status === 'SUCCEEDED', `the operation ended ${status}`);
  return accepted;
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;

/** Resolves when the condition holds, which is checked twice a second. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + WAIT_MS; !(await holds()); await delay(500)) mustBe(Date.now() < end, what);
}

/** Changes the load of all sets at once. Returns the seconds from the change until each set was resized. */
async function decisionsAfterChange(
  product: EmbeddedProduct,
  sets: number,
  members: number,
): Promise<readonly number[]> {
  const { api } = product;
  const load = (cpuCores: number) => ({ options: { load: { web: { cpuCores, each: true } } } });
  const perNode = Math.ceil((sets * members * 1.5) / NODES) + 4;
  const flavor = { cpus: perNode, memoryMb: 128 * perNode };
  const nodeGroups = [{ name: 'workers', role: 'worker', count: NODES, flavor }];
  const body = { name: 'bench', driver: 'fake', nodeGroups, ...load(USE.before) };
  const { id } = await succeed(product, api.post('/v1/clusters', body));
  const resources = { cpus: LIMIT, memoryMb: 64 };
  const contents = { image: 'web:1', hostCluster: id, labels: { load: 'web' }, resources };
  await api.post<Resource>('/v1/container-profiles', { name: 'web', ...contents });
  const max = Math.ceil((members * USE.after) / (LIMIT * TARGET) - 1e-9);
  const set = (i: number): string => `/v1/container-sets/set-${i}`;
  const all = Array.from({ length: sets }, (_, i) => i);
  for (const i of all)
    await succeed(
      product,
      api.post('/v1/container-sets', { name: `set-${i}`, profile: 'web', desired: members, max, autoscaling }),
    );
  await until('every member of every set is sampled', async () => {
    const known = await Promise.all(
      all.map(i => api.get<{ readonly metrics: readonly { readonly known: number }[] }>(`${set(i)}/autoscaling`)),
    );
    return known.every(({ metrics }) => metrics[0]?.known === members);
  });
  await succeed(product, api.patch(`/v1/clusters/${id}`, load(USE.after)));
  const changedAt = Date.now();
  await until('every set is resized', async () => {
    const seen = await Promise.all(all.map(i => api.get<SetView>(set(i))));
    return seen.every(({ desired }) => desired === max);
  });
  const seconds = await Promise.all(
    all.map(async i => {
      const { items } = await api.get<EventPage>(`${set(i)}/events?limit=500`);
      const resized = items.filter(({ data }) => data.cause?.load !== undefined);
      mustBe(resized.at(-1)?.data.desired === max, `${set(i)} has the members that its demand needs`);
      return (Date.parse(resized[0]?.time ?? '') - changedAt) / 1000;
    }),
  );
  return seconds.sort((a, b) => a - b);
}

function aSet(i: number): ContainerSetState {
  const { members } = EVALUATED;
  const profile = { image: 'web:1', env: {}, resources: { cpus: LIMIT }, volumes: [], ports: [], labels: {} };
  const source = {
    profileId: 'p',
    profileRevision: 1,
    profile: { ...profile, restartPolicy: 'always' as const },
    overrides: {},
  };
  const settings = completeAutoscaling({ enabled: true, metrics: autoscaling.metrics });
  const spec = {
    desired: members,
    min: 0,
    max: 100,
    updateStrategy: defaultSetStrategy,
    backoff: defaultSetBackoff,
    autoscaling: settings,
  };
  const operation = { id: 'o', kind: 'container-set.create', total: members };
  const declared = { id: `set-${i}`, name: `set-${i}`, projectId: 'p', clusterId: 'c', spec, source, operation };
  const time = '2026-01-01T00:00:00.000Z';
  const created = containerSetStream.evolve(undefined, { type: 'ContainerSetCreated', data: declared }, time);
  const added = Array.from({ length: members }, (_, ordinal) => ({ id: `${i}-${ordinal}`, ordinal, revision: 1 }));
  const event: ContainerSetEvent = {
    type: 'MembersAdded',
    data: { members: added, reason: 'desired', operationId: 'o' },
  };
  const state = created && containerSetStream.evolve(created, event, time);
  if (!state) throw new Error('the set was not created');
  return state;
}

/** Returns the microseconds of CPU of one evaluation, with the default settings. */
function cpuOfEvaluation(): number {
  const sets = Array.from({ length: EVALUATED.sets }, (_, i) => aSet(i));
  const memories = new Map<string, AutoscalerMemory>();
  const { members, rounds } = EVALUATED;
  const evaluateAll = (round: number): void => {
    const now = 1_800_000_000_000 + round * 15_000;
    const samples = Array.from({ length: 6 }, (_, i): DemandSample => {
      return { at: now - i * 10_000, known: members, others: 0, use: { cpu: members * LIMIT * TARGET, memory: 0 } };
    }).reverse();
    for (const set of sets) {
      const { id } = set.declared;
      const { autoscaling: settings } = set.spec;
      if (!settings) continue;
      const memory = memories.get(id) ?? blankMemory;
      const made = evaluateSet(set, settings, { now, samples, memory, paused: false });
      mustBe(made.desired === members && made.state === 'steady', 'the number is right');
      memories.set(id, made.memory);
    }
  };
  for (let round = 0; round < 50; round += 1) evaluateAll(round);
  const begin = process.cpuUsage();
  for (let round = 50; round < 50 + rounds; round += 1) evaluateAll(round);
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / (rounds * EVALUATED.sets);
}

/** Measures the autoscaler of container sets. */
export async function benchAutoscaledSets(args: readonly string[]): Promise<void> {
  const sets = numberOption(args, '--sets', 40);
  const members = numberOption(args, '--members', 10);
  const perEvaluation = cpuOfEvaluation();
  const product = await startEmbedded();
  try {
    const seconds = await decisionsAfterChange(product, sets, members);
    report('autoscale', 'embedded', { sets, members, windowSeconds: 5, intervalSeconds: 1 }, [
      { figure: 'decision after a change of the load, median', value: percentile(seconds, 0.5), unit: 's' },
      { figure: 'decision after a change of the load, p99', value: percentile(seconds, 0.99), unit: 's' },
      { figure: 'CPU of one evaluation, 50 members', value: perEvaluation, unit: 'µs' },
      { figure: 'sets that one second of CPU evaluates', value: 1e6 / perEvaluation, unit: '1/s' },
    ]);
  } finally {
    await product.close();
    await product.remove();
  }
}
