import { label } from '@stave/docker';
import { ensureNodeImage } from '@stave/driver-k8s-docker/testing';
import { expectStatus, operationIdOf, uniqueName } from '@stave/testing';
import { DockerHarness } from '../docker/docker-harness.js';
import { engineInventory } from '../docker/engine-inventory.js';
import type { ClusterView } from '../e2e/views.js';
import { mustBe, report, run } from './bench-report.js';
import { KubernetesByHand } from './kubernetes-by-hand.js';
import { ctx, engine, readiness, type Readiness } from './kubernetes-readiness.js';

const WITHIN_MS = 900_000;
const manager = { role: 'manager', flavor: { cpus: 2, memoryMb: 2_048 } } as const;
const worker = { role: 'worker', flavor: { cpus: 2, memoryMb: 1_024 } } as const;
const WORKERS = 2;
const NODES = 1 + WORKERS;

interface Times extends Readiness {
  /** Seconds until whoever makes the cluster calls it complete. */
  readonly complete: number;
}

interface Image {
  readonly name: string;
  readonly version: string;
}

async function nodeImage(): Promise<Image> {
  const name = ensureNodeImage();
  const { Config } = await engine.read<{ Config: { Labels: Readonly<Record<string, string>> } }>(
    ctx,
    `/images/${name}/json`,
  );
  return { name, version: Config.Labels['stave.kubernetes'] ?? '' };
}

async function byHand({ name, version }: Image): Promise<Times> {
  const hand = new KubernetesByHand();
  try {
    const begin = performance.now();
    const [complete, seen] = await Promise.all([
      hand.create([manager, worker, worker], name, version).then(() => (performance.now() - begin) / 1000),
      readiness(begin, { nodes: NODES, version }, async () => hand.controlPlane),
    ]);
    return { ...seen, complete: Math.max(complete, seen.all) };
  } finally {
    await hand.remove();
  }
}

async function throughProduct(harness: DockerHarness, { version }: Image): Promise<Times> {
  const nodeGroups = [
    { ...manager, name: 'm', count: 1 },
    { ...worker, name: 'w', count: WORKERS },
  ];
  const body = { name: uniqueName('bench'), driver: 'k8s_docker', nodeGroups };
  const begin = performance.now();
  const answer = expectStatus(await harness.api.post<ClusterView>('/v1/clusters', body), 202);
  const { id } = answer.body;
  const [complete, seen] = await Promise.all([
    harness.api.operation(operationIdOf(answer) ?? '', WITHIN_MS).then(({ status }) => {
      mustBe(status === 'SUCCEEDED', `the creation ended ${status}`);
      return (performance.now() - begin) / 1000;
    }),
    readiness(begin, { nodes: NODES, version }, async () => {
      const wanted = { [label.unit]: 'node', [label.cluster]: id, [label.role]: 'manager' };
      return (await engine.containers(ctx, wanted))[0]?.Id;
    }),
  ]);
  await harness.remove(id);
  return { ...seen, complete };
}

const meanOf = (runs: readonly Times[], part: keyof Times): number =>
  runs.reduce((sum, times) => sum + times[part], 0) / runs.length;

/**
 * `npm run bench -- kubernetes` makes clusters of Kubernetes with one control plane and two workers through the product. Baseline: the same nodes with
 * the engine's API and kubeadm alone. Needs a Docker Engine and the node image, or a warm cache of its build.
 */
run(async () => {
  const image = await nodeImage();
  const before = await engineInventory();
  const harness = await DockerHarness.open({ DRIVERS_ENABLED: 'fake,k8s_docker' });
  const own: Times[] = [];
  const hand: Times[] = [];
  try {
    hand.push(await byHand(image));
    own.push(await throughProduct(harness, image));
    own.push(await throughProduct(harness, image));
    hand.push(await byHand(image));
  } finally {
    await harness.close();
  }
  const left = (await engineInventory()).filter(each => !before.includes(each));
  mustBe(left.length === 0, `nothing is left, but ${left.join()}`);
  const figure = (title: string, part: keyof Times) => ({
    figure: title,
    value: meanOf(own, part),
    unit: 's',
    baseline: meanOf(hand, part),
  });
  report('kubernetes', 'embedded, k8s_docker', { nodes: NODES, version: image.version, runs: { own, hand } }, [
    figure('POST to the first node Ready', 'first'),
    figure(`POST to ${NODES} nodes Ready`, 'all'),
    figure('POST to the end of the creation', 'complete'),
  ]);
});
