import { clientOf, ensureNodeImage, kubernetesMissing } from '@stave/driver-k8s-docker/testing';
import { describeOn, eventually, uniqueName } from '@stave/testing';
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

  it('a cluster with two worker groups is ready for kubectl, follows a new size, replaces a killed node, and leaves nothing', async () => {
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
