import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expectStatus, repositoryRoot } from '@stave/testing';
import { Fleet, large } from '../e2e/fleet.js';
import type { AutoscalingView } from '../e2e/scaled-set.js';
import { EmbeddedStack } from '../e2e/stack.js';
import type { ContainerSetView, ResourceView } from '../e2e/views.js';
import { svgChart } from './svg-chart.js';

const PICTURE = join('docs', 'how-to', 'autoscale-a-set.svg');
const PERIOD_MS = 180_000;
const PERIODS = 3;
const LOAD = { shape: 'sawtooth', min: 0.3, max: 2.8, periodMs: PERIOD_MS };
const LIMIT = 0.5;
const TARGET = 0.7;
const AUTOSCALING = {
  enabled: true,
  metrics: [{ resource: 'cpu', target: TARGET }],
  windowSeconds: 10,
  intervalSeconds: 5,
  warmUpSeconds: 0,
  scaleIn: { stabilisationSeconds: 30 },
};

interface Seen {
  readonly seconds: number;
  readonly use: number | null;
  readonly desired: number;
  readonly available: number;
}

/** Creates a set as in the guide, with a sawtooth as its load. */
async function createSet(fleet: Fleet): Promise<string> {
  const options = { load: { web: { cpuCores: LOAD } } };
  const { id: hostCluster } = await fleet.cluster({ options }, [{ count: 2, flavor: large }]);
  const resources = { cpus: LIMIT, memoryMb: 64 };
  const profile = { name: 'web', image: 'nginx:1', hostCluster, labels: { load: 'web' }, resources };
  expectStatus(await fleet.api.post<ResourceView>('/v1/container-profiles', profile), 201);
  const body = { name: 'web', profile: 'web', desired: 2, min: 1, max: 12, autoscaling: AUTOSCALING };
  return (await fleet.api.succeed(fleet.api.post<ContainerSetView>('/v1/container-sets', body))).id;
}

/** Records what the product says about the set, each second. */
async function watch({ api }: Fleet, id: string): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const startedAt = Date.now();
  for (let second = 1; second * 1000 <= PERIODS * PERIOD_MS; second += 1) {
    const path = `/v1/container-sets/${id}`;
    const { metrics, desired } = await api.read<AutoscalingView>(`${path}/autoscaling`);
    const { counts } = await api.read<ContainerSetView>(path);
    const seconds = (Date.now() - startedAt) / 1000;
    seen.push({ seconds, use: metrics[0]?.use ?? null, desired, available: counts.available });
    await pause(Math.max(0, startedAt + second * 1000 - Date.now()));
  }
  return seen;
}

function draw(seen: readonly Seen[]): string {
  const members = (value: (one: Seen) => number | null) =>
    seen.flatMap(one => {
      const y = value(one);
      return y === null ? [] : [[one.seconds, y] as const];
    });
  return svgChart({
    title: 'A sawtooth of three minutes, and what the autoscaler did',
    description: `Recorded on the product: members of ${LIMIT} CPUs with a target of ${TARGET * 100} %, a window of 10 s, scale-in after 30 s.`,
    xLabel: 'minutes',
    yLabel: 'members',
    lines: [
      {
        label: 'demand, in members at target',
        color: '#bc4c00',
        points: members(({ use }) => use && use / (LIMIT * TARGET)),
      },
      { label: 'desired', color: '#0969da', points: members(({ desired }) => desired), steps: true },
      {
        label: 'available',
        color: '#1a7f37',
        points: members(({ available }) => available),
        steps: true,
        dashed: true,
      },
    ],
  });
}

async function main(): Promise<void> {
  const stack = await EmbeddedStack.start();
  try {
    const fleet = new Fleet(stack);
    const seen = await watch(fleet, await createSet(fleet));
    await writeFile(join(repositoryRoot(), PICTURE), draw(seen));
    process.stdout.write(`${PICTURE} shows ${seen.length} seconds\n`);
  } finally {
    await stack.close();
  }
}

void main();
