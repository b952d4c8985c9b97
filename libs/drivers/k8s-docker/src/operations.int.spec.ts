import { pollUntil } from '@stave/docker';
import type { DriverError, NodeSpec } from '@stave/driver-sdk';
import { describeOn } from '@stave/driver-sdk/testing';
import { memberName } from './node-description.js';
import type { AppliedObject } from '@stave/kubernetes';
import { loadPodImage, pod } from './testing/kubernetes-client.fixture.js';
import { kubernetesMissing } from './testing/node-image.fixture.js';
import { clusterSpec, managerSpec, nodeSpec, RealClusters, ref } from './testing/real-clusters.fixture.js';

const minutes = 60_000;

interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly nodeId?: string;
  readonly ready: boolean;
}

describeOn(kubernetesMissing(), 'operations of k8s_docker', () => {
  jest.setTimeout(10 * minutes);
  let real: RealClusters;
  const manager = managerSpec('m-1');
  const worker: NodeSpec = nodeSpec('w-1', { zone: 'az2' });

  const call = async <T>(name: string, parameters: object = {}, body?: object): Promise<T> => {
    const request = { cluster: ref('cluster-1'), parameters: { ...parameters }, body };
    const { [name]: operation } = real.driver.api ?? {};
    if (!operation) throw new Error(`the driver has no operation ${name}`);
    return (await operation(real.ctx, request)) as T;
  };
  const apply = async (objects: readonly object[], dryRun = false): Promise<readonly AppliedObject[]> =>
    (await call<{ items: readonly AppliedObject[] }>('apply', { dryRun }, { objects })).items;
  const settings = (data: object, metadata: object = { name: 'settings' }): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata,
    data,
  });

  beforeAll(async () => {
    real = await RealClusters.open();
    await real.driver.cluster.create(real.ctx, clusterSpec());
    await Promise.all([manager, worker].map(spec => real.driver.node.create(real.ctx, spec)));
    loadPodImage((await real.container(worker.id)).Id);
  });

  afterAll(async () => {
    await real.close();
    expect(await real.leftovers()).toEqual([]);
  });

  it('apply creates, keeps and changes objects, a dry run only says what would happen', async () => {
    const place = { namespace: 'default', name: 'settings', apiVersion: 'v1', kind: 'ConfigMap' };
    expect(await apply([settings({ a: '1' })], true)).toEqual([{ ...place, action: 'create' }]);
    expect(await apply([settings({ a: '1' })])).toEqual([{ ...place, action: 'create' }]);
    expect(await apply([settings({ a: '1' })])).toEqual([{ ...place, action: 'keep' }]);
    const change = { ...place, action: 'change', diff: [{ pointer: '/data/a', from: '1', to: '2' }] };
    expect(await apply([settings({ a: '2' })], true)).toEqual([change]);
    expect(await apply([settings({ a: '2' })])).toEqual([change]);
    expect(await apply([settings({ a: '2' })])).toEqual([{ ...place, action: 'keep' }]);
  });

  it('an unknown kind is refused before the first change', async () => {
    const unknown = { apiVersion: 'v1', kind: 'Nothing', metadata: { name: 'x' } };
    const refused = apply([settings({}, { name: 'first' }), unknown]);
    await expect(refused).rejects.toMatchObject({ failure: 'permanent', code: 'unknown-kind' });
    expect(await apply([settings({}, { name: 'first' })], true)).toMatchObject([{ action: 'create' }]);
  });

  it('a pod runs, and is shown with its node, its log and its events', async () => {
    const said = pod('hello', ['sh', '-c', 'echo it-runs; sleep 1000'], { nodeName: memberName(worker) });
    expect(await apply([said])).toMatchObject([{ action: 'create', kind: 'Pod' }]);
    const shown = await pollUntil(real.ctx, { what: 'start of the pod', withinMs: 2 * minutes }, async () => {
      const { items } = await call<{ items: readonly PodView[] }>('pods', { namespace: 'default' });
      return items.find(({ name, ready }) => name === 'hello' && ready);
    });
    expect(shown).toEqual({ namespace: 'default', name: 'hello', nodeId: 'w-1', phase: 'Running', ready: true });
    expect(await call('logs', { pod: 'hello', tail: 1 })).toEqual({ logs: 'it-runs\n' });
    const { items: events } = await call<{ items: readonly object[] }>('events', { namespace: 'default' });
    expect(events).toContainEqual(expect.objectContaining({ kind: 'Pod', name: 'hello', reason: 'Started' }));
    await expect(call('logs', { pod: 'nobody' })).rejects.toMatchObject({ failure: 'notFound' });
    const { items: all } = await call<{ items: readonly PodView[] }>('pods');
    expect(new Set(all.map(({ namespace }) => namespace))).toEqual(new Set(['default', 'kube-system']));
  });

  it('nodes are shown by their ids', async () => {
    const { items } = await call<{ items: readonly { nodeId?: string }[] }>('nodes');
    const shown = items.find(({ nodeId }) => nodeId === 'w-1');
    expect(items).toHaveLength(2);
    expect(shown).toMatchObject({ name: memberName(worker), ready: true, version: '1.34.2' });
    expect(shown).toMatchObject({ labels: { 'topology.kubernetes.io/zone': 'az2' } });
  });

  it('apply has the rights of members: nothing that reaches the node, other namespaces, nodes and rights', async () => {
    const refusal = (object: object): Promise<object> =>
      apply([object]).then(
        () => ({ code: 'applied' }),
        ({ failure, code, message }: DriverError) => ({ failure, code, message }),
      );
    const within = (spec: object, metadata: object = { name: 'x' }) => ({
      ...pod('x', ['sleep', '9'], spec),
      metadata,
    });
    const container = { name: 'main', image: 'x', command: ['sleep', '9'], securityContext: { privileged: true } };
    const labels = { 'pod-security.kubernetes.io/enforce': 'privileged' };
    const rights = 'rbac.authorization.k8s.io';
    const roleRef = { apiGroup: rights, kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ apiGroup: rights, kind: 'User', name: 'stave-member' }];
    const binding = { apiVersion: `${rights}/v1`, metadata: { name: 'x' }, roleRef, subjects };
    const forbidden = { failure: 'permanent', code: 'forbidden' };
    const insecure = { ...forbidden, message: expect.stringContaining('violates PodSecurity') };

    expect(await refusal(within({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }))).toMatchObject(insecure);
    expect(await refusal(within({ hostPID: true }))).toMatchObject(insecure);
    expect(await refusal(within({ hostNetwork: true }))).toMatchObject(insecure);
    expect(await refusal(within({ containers: [container] }))).toMatchObject(insecure);
    expect(await refusal(within({}, { name: 'x', namespace: 'kube-system' }))).toMatchObject(forbidden);
    const objects = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default', labels } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'own' } },
      { apiVersion: 'v1', kind: 'Node', metadata: { name: memberName(worker), labels: { own: 'x' } } },
      { ...binding, kind: 'ClusterRoleBinding' },
      { ...binding, kind: 'RoleBinding' },
    ];
    for (const object of objects) expect(await refusal(object)).toMatchObject(forbidden);
  });
});
