import { clientOf, ensureNodeImage, kubernetesMissing } from '@stave/driver-k8s-docker/testing';
import { describeOn, eventually, expectStatus, itOn, operationIdOf, uniqueName } from '@stave/testing';
import type { ClusterView, ContainerView, NodeGroupView, NodeView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';

const minutes = 60_000;
const caller = { signal: new AbortController().signal, checkpoint: () => undefined };
/** Each node brings this image, which sleeps. */
const image = 'stave.local/kubernetes/pause:node';
/** The former minor version, where the cache has it; a patch of the present one otherwise. */
const former = { sources: '1.33.5' };
const [from, to] =
  kubernetesMissing(former) === undefined
    ? [
        { choice: former, version: '1.33.5' },
        { choice: {}, version: '1.34.2' },
      ]
    : [
        { choice: {}, version: '1.34.2' },
        { choice: { version: '1.34.3' }, version: '1.34.3' },
      ];
/** Nobody compiles Kubernetes for a test run, so the second image has to be there or in the cache, too. */
const upgradeMissing = kubernetesMissing(to.choice);
const flavor = { cpus: 2, memoryMb: 1_024 };
const autoscaling = { enabled: true, idleSeconds: 5, delayAfterGrowSeconds: 5 };

interface Deployment {
  readonly status: { readonly availableReplicas?: number };
}
interface Version {
  readonly nodeId: string;
  readonly ready: boolean;
  readonly version: string;
}

describeOn(kubernetesMissing(), 'Changes of Kubernetes on Docker', () => {
  jest.setTimeout(25 * minutes);
  let harness: DockerHarness;
  let cluster: ClusterView;
  let newer: string;
  const group = (name: string): string => `/v1/clusters/${cluster.id}/node-groups/${name}`;
  const driver = (operation: string): string => `/v1/clusters/${cluster.id}/driver/${operation}`;
  const nodes = () => harness.api.list<NodeView>(`/v1/clusters/${cluster.id}/nodes`);

  beforeAll(async () => {
    const present = ensureNodeImage(from.choice);
    newer = upgradeMissing === undefined ? ensureNodeImage(to.choice) : present;
    const settings = { DRIVERS_ENABLED: 'fake,k8s_docker', NODE_IMAGES_ALLOWED: `${present},${newer}` };
    harness = await DockerHarness.open(settings);
    cluster = await harness.cluster(
      {
        name: uniqueName('k8s'),
        driver: 'k8s_docker',
        defaults: { image: present },
        nodeGroups: [
          { name: 'm', role: 'manager', count: 1, flavor: { cpus: 2, memoryMb: 2_048 } },
          { name: 'w', role: 'worker', count: 1, minCount: 1, maxCount: 2, flavor, labels: { pool: 'w' }, autoscaling },
        ],
      },
      10 * minutes,
    );
  });
  afterAll(() => harness?.close());

  const apply = async (...objects: readonly object[]): Promise<unknown> =>
    expectStatus(await harness.api.post(driver('apply'), { objects }), 200);

  it('pods of members take room from containers of Stave; a worker is added for one that waits, and removed after it', async () => {
    const { api } = harness;
    const resources = { requests: { memory: '450Mi' } };
    const own = { name: 'own', image, resources };
    const pinned = { nodeSelector: { pool: 'w' }, containers: [own] };
    await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'own' }, spec: pinned });
    // a worker has 512 MB for containers, of which the network of pods holds 20
    const profile = await harness.profile(cluster.id, {
      image,
      command: undefined,
      resources: { cpus: 0.1, memoryMb: 490 },
      nodeSelector: { pool: 'w' },
    });
    const [first] = (await nodes()).filter(({ role }) => role === 'worker');
    await eventually(
      async () => {
        const { kubeconfig = '' } = await api.read<{ kubeconfig?: string }>(`/v1/clusters/${cluster.id}/credentials`);
        const found = await clientOf(kubeconfig).read<{ status: { phase: string } }>(
          caller,
          '/api/v1/namespaces/default/pods/own',
        );
        return found.status.phase === 'Running';
      },
      { timeoutMs: 2 * minutes, what: 'the pod of the member' },
    );
    // until the next sample shows the pod, the kubelet refuses the container, and it is placed again
    const answer = expectStatus(await api.post<ContainerView>('/v1/containers', { profile }), 202);
    const { status } = await api.operation(operationIdOf(answer) ?? '', 6 * minutes);
    expect(status).toBe('SUCCEEDED');
    const container = await api.read<ContainerView>(`/v1/containers/${answer.body.id}`);
    expect(container.nodeId).not.toBe(first?.id);
    expect(await api.read<NodeGroupView>(group('w'))).toMatchObject({ count: 2, nodesReady: 2 });
    await harness.removeContainer(container);
    await eventually(
      async () => {
        const { count, nodesTotal } = await api.read<NodeGroupView>(group('w'));
        return count === 1 && nodesTotal === 1;
      },
      { timeoutMs: 4 * minutes, everyMs: 500, what: 'one worker' },
    );
    await expectStatus(await api.patch(group('w'), { autoscaling: { enabled: false } }), 200);
  });

  const title = `Kubernetes ${from.version} becomes ${to.version} node by node, control plane first, and pods stay available`;
  itOn(upgradeMissing, title, async () => {
    const { api } = harness;
    const labels = { app: 'steady' };
    const metadata = { name: 'steady' };
    const containers = [{ name: 'main', image, resources: { requests: { memory: '10Mi' } } }];
    const term = { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
    const template = { metadata: { labels }, spec: { containers, affinity } };
    const selector = { matchLabels: labels };
    await api.succeed(api.post(`${group('w')}/actions/resize`, { count: 2 }), 5 * minutes);
    await apply(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2, selector, template } },
      { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata, spec: { minAvailable: 1, selector } },
    );
    const available = async (): Promise<number> => {
      const { kubeconfig = '' } = await api.read<{ kubeconfig?: string }>(`/v1/clusters/${cluster.id}/credentials`);
      const path = '/apis/apps/v1/namespaces/default/deployments/steady';
      return (await clientOf(kubeconfig).read<Deployment>(caller, path)).status.availableReplicas ?? 0;
    };
    await eventually(async () => (await available()) === 2, { timeoutMs: 3 * minutes, what: 'two pods' });

    const seen: number[] = [];
    const upgrade = async (name: string): Promise<void> => {
      const answer = expectStatus(await api.patch<NodeGroupView>(group(name), { image: newer }), 202);
      await eventually(
        async () => {
          // a control plane that leaves does not answer
          seen.push(await available().catch(() => NaN));
          const { status } = await api.read<{ status: string }>(`/v1/operations/${operationIdOf(answer)}`);
          if (status === 'FAILED') throw new Error(`the upgrade of ${name} failed`);
          return status === 'SUCCEEDED';
        },
        { timeoutMs: 10 * minutes, everyMs: 1_000, what: `the upgrade of ${name}` },
      );
    };
    const versions = async (): Promise<readonly string[]> => {
      const { items } = await api.read<{ items: readonly Version[] }>(driver('nodes'));
      const ids = (await nodes()).filter(({ role }) => role === 'worker').map(({ id }) => id);
      return items
        .map(({ nodeId, ready, version }) => `${ids.includes(nodeId) ? 'w' : 'm'} ${version} ${ready}`)
        .sort();
    };
    const workersOf = (version: string): readonly string[] => Array<string>(2).fill(`w ${version} true`);
    await upgrade('m');
    expect(await versions()).toEqual([`m ${to.version} true`, ...workersOf(from.version)]);
    await upgrade('w');
    expect(await versions()).toEqual([`m ${to.version} true`, ...workersOf(to.version)]);
    const known = seen.filter(count => !Number.isNaN(count));
    expect(known.length).toBeGreaterThan(10);
    expect(Math.min(...known)).toBeGreaterThanOrEqual(1);
    await eventually(async () => (await available()) === 2, { timeoutMs: 3 * minutes, what: 'two pods again' });
  });
});
