import { clientOf, ensureNodeImage, kubernetesMissing, loadPodImage, podImage } from '@stave/driver-k8s-docker/testing';
import { describeOn, eventually, expectProblem, expectStatus, uniqueName } from '@stave/testing';
import type { ContainerView, NodeGroupView, NodeView } from '../e2e/views.js';
import { DockerHarness } from './docker-harness.js';

const minutes = 60_000;
const caller = { signal: new AbortController().signal, checkpoint: () => undefined };

interface Member {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

describeOn(kubernetesMissing(), 'Kubernetes on Docker', () => {
  jest.setTimeout(15 * minutes);
  let harness: DockerHarness;

  beforeAll(async () => {
    ensureNodeImage();
    harness = await DockerHarness.open({ DRIVERS_ENABLED: 'fake,k8s_docker' });
  });
  afterAll(() => harness?.close());

  it('a cluster with two worker groups is ready for kubectl, follows a new size, answers its operations, replaces a killed node, and leaves nothing', async () => {
    const { api, engine } = harness;
    const flavor = { cpus: 2, memoryMb: 1_024 };
    const { id } = await harness.cluster(
      {
        name: uniqueName('k8s'),
        driver: 'k8s_docker',
        nodeGroups: [
          { name: 'm', role: 'manager', count: 1, flavor: { cpus: 2, memoryMb: 2_048 } },
          { name: 'w', role: 'worker', count: 1, flavor, zones: ['a'] },
          { name: 'x', role: 'worker', count: 1, flavor: { ...flavor, memoryMb: 1_280 }, labels: { disk: 'fast' } },
        ],
      },
      10 * minutes,
    );
    const { kubeconfig = '' } = await api.read<{ kubeconfig?: string }>(`/v1/clusters/${id}/credentials`);
    const kubernetes = clientOf(kubeconfig);
    const ready = async (): Promise<string[]> => {
      const { items } = await kubernetes.read<{ items: readonly Member[] }>(caller, '/api/v1/nodes');
      const isReady = ({ status }: Member): boolean =>
        status.conditions.some(one => one.type === 'Ready' && one.status === 'True');
      return items.filter(isReady).map(({ metadata }) => metadata.labels['stave.node'] ?? '');
    };
    const active = async (): Promise<string[]> =>
      (await api.read<{ items: readonly NodeView[] }>(`/v1/clusters/${id}/nodes`)).items
        .filter(node => node.status === 'ACTIVE')
        .map(node => node.id);
    const settled = (count: number): Promise<unknown> =>
      eventually(
        async () => {
          const [nodes, members] = [await active(), await ready()];
          return nodes.length === count && nodes.sort().join() === members.sort().join();
        },
        { timeoutMs: 5 * minutes, everyMs: 1_000, what: `${count} nodes that are active and ready` },
      );
    await settled(3);

    await api.succeed(
      api.post<NodeGroupView>(`/v1/clusters/${id}/node-groups/w/actions/resize`, { count: 2 }),
      5 * minutes,
    );
    await settled(4);

    // each node brings this image, which sleeps
    const image = 'stave.local/kubernetes/pause:3.10.1';
    const container = await harness.run<ContainerView>(id, { image, command: undefined });
    expect(await active()).toContain(container.nodeId);
    await harness.removeContainer(container);
    await operationsAnswer(harness, id, await active());
    await logIsFollowed(harness, id);

    const [victim] = (await engine.nodes(id)).filter(node => node.role === 'worker');
    await engine.kill(victim?.id ?? '');
    await eventually(async () => !(await active()).includes(victim?.nodeId ?? ''), {
      timeoutMs: 2 * minutes,
      what: 'the loss of the killed node',
    });
    await settled(4);

    await harness.remove(id);
  });
});

interface Shown {
  readonly name: string;
  readonly namespace: string;
  readonly nodeId: string;
  readonly ready: boolean;
  readonly reason: string;
}

/** The operations of the driver, asked for through the gateway. */
async function operationsAnswer({ api }: DockerHarness, cluster: string, nodes: readonly string[]): Promise<void> {
  const path = `/v1/clusters/${cluster}/driver`;
  const items = async (operation: string): Promise<readonly Shown[]> =>
    (await api.read<{ items: readonly Shown[] }>(`${path}/${operation}`)).items;
  const members = await items('nodes');
  expect(members.map(({ nodeId }) => nodeId).sort()).toEqual([...nodes].sort());
  const dns = (await items('pods?namespace=kube-system')).find(
    ({ name, ready }) => name.startsWith('coredns') && ready,
  );
  expect(nodes).toContain(dns?.nodeId);
  const log = await api.read<{ logs: string }>(`${path}/logs?namespace=kube-system&pod=${dns?.name}&tail=20`);
  expect(log.logs).toContain('CoreDNS');

  const metadata = { name: uniqueName('settings') };
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { colour: 'blue' } };
  const apply = async (objects: readonly object[], query = ''): Promise<readonly object[]> =>
    expectStatus(await api.post<{ items: readonly object[] }>(`${path}/apply${query}`, { objects }), 200).body.items;
  expect(await apply([settings], '?dryRun=true')).toMatchObject([{ action: 'create' }]);
  expect(await apply([settings])).toMatchObject([{ action: 'create', namespace: 'default' }]);
  const diff = [{ pointer: '/data/colour', from: 'blue', to: 'red' }];
  expect(await apply([{ ...settings, data: { colour: 'red' } }])).toMatchObject([{ action: 'change', diff }]);
  const foreign = { ...settings, metadata: { ...metadata, namespace: 'kube-system' } };
  expectProblem(await api.post(`${path}/apply`, { objects: [foreign] }), 422);
  expect((await items('events')).map(({ reason }) => reason)).toContain('NodeReady');
}

/** A container writes a line a second; the client reads them while they come. */
async function logIsFollowed(harness: DockerHarness, cluster: string): Promise<void> {
  const { api, engine } = harness;
  for (const { id } of await engine.nodes(cluster)) loadPodImage(id);
  const script = 'n=0; while true; do n=$((n+1)); echo line $n; sleep 1; done';
  const container = await harness.run<ContainerView>(cluster, { image: podImage, command: ['sh', '-c', script] });
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${api.key}` };
  const url = `${api.url}/v1/containers/${container.id}/logs?follow=true&tail=1`;
  const answer = await fetch(url, { headers, signal: leaving.signal });
  expect(answer.status).toBe(200);
  const lines = new Set<string>();
  const decoder = new TextDecoder();
  for await (const piece of answer.body ?? []) {
    for (const line of decoder.decode(piece, { stream: true }).match(/line \d+/g) ?? []) lines.add(line);
    if (lines.size >= 3) break;
  }
  leaving.abort();
  expect(lines.size).toBeGreaterThanOrEqual(3);
  await harness.removeContainer(container);
}
