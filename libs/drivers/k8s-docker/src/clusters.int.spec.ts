import { describeOn } from '@stave/driver-sdk/testing';
import type { DriverError, NodeSpec, NodeUsage } from '@stave/driver-sdk';
import { pollUntil } from '@stave/docker';
import type { MemberNode } from './cluster-member.js';
import type { KubernetesApi } from '@stave/kubernetes';
import { memberName } from './node-description.js';
import { clientOf, kubectl, loadPodImage, pod, podImage } from './testing/kubernetes-client.fixture.js';
import { kubernetesMissing } from './testing/node-image.fixture.js';
import { clusterSpec, managerSpec, nodeSpec, RealClusters, ref } from './testing/real-clusters.fixture.js';

const minutes = 60_000;
const ready = { withinMs: 2 * minutes, everyMs: 500 };
const pods = '/api/v1/namespaces/default/pods';
const request = 'printf "GET /hello HTTP/1.0\\r\\n\\r\\n"';

describeOn(kubernetesMissing(), 'clusters of k8s_docker', () => {
  jest.setTimeout(10 * minutes);
  let real: RealClusters;
  let member: KubernetesApi;
  const manager = managerSpec('m-1');
  const first = nodeSpec('w-1', { ordinal: 0, labels: { disk: 'fast' } });
  const second: NodeSpec = nodeSpec('w-2', {
    ordinal: 0,
    zone: 'az2',
    nodeGroup: { id: 'group-x', name: 'others' },
    flavor: { cpus: 1, memoryMb: 1_280 },
    taints: [{ key: 'special', value: 'yes', effect: 'NoSchedule' }],
  });

  const nodes = async (): Promise<readonly MemberNode[]> =>
    (await member.read<{ items: readonly MemberNode[] }>(real.ctx, '/api/v1/nodes')).items;
  const isReady = (name: string) => async (): Promise<true | undefined> => {
    const { status } = await member.read<{ status: { conditions?: readonly { type: string; status: string }[] } }>(
      real.ctx,
      `${pods}/${name}`,
    );
    return status.conditions?.some(one => one.type === 'Ready' && one.status === 'True') ? true : undefined;
  };
  const run = async (body: object, name: string): Promise<void> => {
    await member.change(real.ctx, 'POST', pods, { body });
    await pollUntil(real.ctx, { what: `start of ${name}`, ...ready }, isReady(name));
  };
  const containerOf = async ({ id }: NodeSpec): Promise<string> => (await real.container(id)).Id;

  beforeAll(async () => {
    real = await RealClusters.open();
    await real.driver.cluster.create(real.ctx, clusterSpec());
    // nodes are created at the same time by the product, so that workers wait for the control plane
    await Promise.all([manager, first, second].map(spec => real.driver.node.create(real.ctx, spec)));
    const { kubeconfig = '' } = await real.driver.cluster.credentials(real.ctx, ref('cluster-1'));
    member = clientOf(kubeconfig);
    for (const spec of [manager, first, second]) loadPodImage(await containerOf(spec));
  });

  afterAll(async () => {
    await real.close();
    expect(await real.leftovers()).toEqual([]);
  });

  it('a control plane and two groups become one cluster, with their labels, zones and taints', async () => {
    const found = new Map((await nodes()).map(node => [node.metadata.labels?.['stave.node'], node]));
    expect([...found.keys()].sort()).toEqual(['m-1', 'w-1', 'w-2']);
    expect(found.get('w-1')?.metadata.labels).toMatchObject({
      disk: 'fast',
      'stave.nodeGroup': 'group-w',
      'topology.kubernetes.io/zone': 'az1',
    });
    expect(found.get('w-2')?.metadata.labels).toMatchObject({ 'topology.kubernetes.io/zone': 'az2' });
    expect(found.get('w-2')?.spec.taints).toContainEqual({ key: 'special', value: 'yes', effect: 'NoSchedule' });
  });

  it('a Service answers from a pod on another node', async () => {
    const serve = 'mkdir /www && echo it-answers >/www/hello && httpd -f -p 8080 -h /www';
    await run(pod('web', ['sh', '-c', serve], { nodeName: memberName(first) }), 'web');
    const spec = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] };
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
    const service = await member.change<{ spec: { clusterIP: string } }>(
      real.ctx,
      'POST',
      '/api/v1/namespaces/default/services',
      { body },
    );
    const ask = `until ${request} | timeout 3 nc ${service.spec.clusterIP} 80 | grep it-answers; do sleep 1; done; sleep 1000`;
    await run(pod('client', ['sh', '-c', ask], { nodeName: memberName(second) }), 'client');
    const said = await pollUntil(real.ctx, { what: 'answer of the Service', ...ready }, async () => {
      const log = await member.read<string>(real.ctx, `${pods}/client/log`);
      return log.includes('it-answers') ? log : undefined;
    });
    expect(said.trim()).toBe('it-answers');
  });

  it('pods resolve the names of services', async () => {
    const ask =
      'until nslookup web.default.svc.cluster.local | grep 10.96; do sleep 1; done; echo resolved; sleep 1000';
    await run(pod('names', ['sh', '-c', ask], { nodeName: memberName(second) }), 'names');
    await pollUntil(real.ctx, { what: 'answer of the name server', ...ready }, async () => {
      const log = await member.read<string>(real.ctx, `${pods}/names/log`);
      return log.includes('resolved') ? true : undefined;
    });
  });

  it('what pods of Kubernetes ask for is reserved on their nodes, and free again after their end', async () => {
    const { monitor } = real.driver;
    const reserved = async (): Promise<Map<string, NodeUsage['reserved']>> =>
      new Map((await monitor?.usage(real.ctx))?.map(usage => [usage.nodeId, usage.reserved]));
    const before = await reserved();
    // the network of pods, which is on each node; a control plane has more
    const daemons = { cpus: 0.01, memoryMb: 20 };
    expect(before.get('w-1')).toMatchObject({ daemons });
    expect(before.get('m-1')?.daemons.cpus).toBeGreaterThan(0.5);
    const requests = { cpu: '250m', memory: '100Mi' };
    const containers = [{ name: 'main', image: podImage, command: ['sleep', '1000'], resources: { requests } }];
    await run(pod('asking', [], { nodeName: memberName(first), containers }), 'asking');
    const { cpus = 0, memoryMb = 0 } = before.get('w-1') ?? {};
    const grown = { cpus: Math.round((cpus + 0.25) * 1_000) / 1_000, memoryMb: memoryMb + 100, daemons };
    await pollUntil(real.ctx, { what: 'reservation of the pod', ...ready }, async () =>
      (await reserved()).get('w-1')?.memoryMb === grown.memoryMb ? true : undefined,
    );
    expect((await reserved()).get('w-1')).toEqual(grown);
    expect((await reserved()).get('w-2')).toEqual(before.get('w-2'));
    await member.change(real.ctx, 'DELETE', `${pods}/asking`);
    await pollUntil(real.ctx, { what: 'release of the pod', ...ready }, async () =>
      (await reserved()).get('w-1')?.memoryMb === memoryMb ? true : undefined,
    );
  });

  it('members get no rights on the nodes, other namespaces and rights', async () => {
    const refused = (call: Promise<unknown>): Promise<string> =>
      call.then(
        () => 'allowed',
        (error: DriverError) => error.message.slice(0, 300),
      );
    const change = (method: 'POST' | 'PATCH', path: string, body: object, contentType = 'application/json') =>
      refused(member.change(real.ctx, method, path, { body, contentType }));
    const merge = 'application/merge-patch+json';
    const main = (securityContext: object) => ({
      containers: [{ name: 'main', image: 'x', command: ['sleep', '9'], securityContext }],
    });
    const labelled = { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } };
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'x' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', name: 'stave-member' }],
    };
    const hostPath = { volumes: [{ name: 'v', hostPath: { path: '/' } }] };
    expect(await change('POST', pods, pod('a', ['sleep', '9'], hostPath))).toContain('violates PodSecurity');
    expect(await change('POST', pods, pod('b', ['sleep', '9'], { hostPID: true }))).toContain('violates PodSecurity');
    expect(await change('POST', pods, pod('c', [], main({ privileged: true })))).toContain('violates PodSecurity');
    expect(await change('PATCH', '/api/v1/namespaces/default', labelled, merge)).toContain('403');
    expect(await change('PATCH', `/api/v1/nodes/${memberName(first)}`, labelled, merge)).toContain('403');
    expect(await change('POST', '/api/v1/namespaces/kube-system/pods', pod('d', ['sleep', '9']))).toContain('403');
    expect(await change('POST', '/api/v1/namespaces/kube-system/pods/etcd-m-1/exec', {})).toContain('403');
    expect(await change('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding)).toContain('403');
    expect(await change('POST', '/api/v1/namespaces', { metadata: { name: 'own' } })).toContain('403');
    const secrets = member.read(real.ctx, '/api/v1/namespaces/kube-system/secrets');
    expect(await refused(secrets)).toContain('403');
  });

  it('no join token is left, neither in the cluster nor on a node', async () => {
    const control = await containerOf(manager);
    const tokens = kubectl(control, '--namespace', 'kube-system', 'get', 'secrets', '--output', 'name');
    // the one by which the first control plane was made ends by itself
    expect(tokens.split('\n').filter(name => name.includes('bootstrap-token')).length).toBeLessThanOrEqual(1);
    for (const spec of [first, second]) {
      const path = `/containers/${await containerOf(spec)}/archive`;
      const found = real.host.read(real.ctx, path, { query: { path: '/etc/stave/once' } });
      await expect(found).rejects.toMatchObject({ status: 404 });
    }
  });

  it('labels and taints change in place, and Kubernetes places nothing on a drained node', async () => {
    const before = await containerOf(first);
    const changed = { ...first, generation: 2, labels: { disk: 'slow' }, taints: second.taints };
    await real.driver.node.update(real.ctx, changed);
    await real.driver.node.drain(real.ctx, ref('w-1', 2));
    const node = (await nodes()).find(one => one.metadata.name === memberName(first));
    expect(node?.metadata.labels).toMatchObject({ disk: 'slow' });
    expect(node?.spec).toMatchObject({ unschedulable: true });
    await real.driver.node.undrain(real.ctx, ref('w-1', 2));
    await real.driver.node.update(real.ctx, { ...first, generation: 3 });
    const again = (await nodes()).find(one => one.metadata.name === memberName(first));
    expect(again?.spec.unschedulable).toBeUndefined();
    expect(again?.spec.taints ?? []).toEqual([]);
    expect(await containerOf(first)).toBe(before);
  });

  it('a killed node is replaced by one of a higher generation, and is a member again', async () => {
    await real.host.change(real.ctx, 'POST', `/containers/${await containerOf(first)}/kill`);
    const result = await real.driver.node.rebuild(real.ctx, { ...first, generation: 4 });
    expect((await real.container('w-1')).Id).toBe(result.infrastructureId);
    const names = (await nodes()).map(one => one.metadata.name).sort();
    expect(names).toEqual([manager, first, second].map(memberName).sort());
  });

  it('a further control plane joins, and the cluster outlives the first one', async () => {
    const further = managerSpec('m-2', { ordinal: 1 });
    await real.driver.node.create(real.ctx, further);
    await real.driver.node.delete(real.ctx, ref('m-1'));
    const control = await containerOf(further);
    const said = kubectl(control, 'get', 'nodes', '--output', 'name').split('\n').sort();
    expect(said).toEqual([further, first, second].map(spec => `node/${memberName(spec)}`).sort());
    const version = await real.driver.node.create(real.ctx, nodeSpec('w-3'));
    expect(version).toMatchObject({ engineVersion: '1.34.2', capacity: { cpus: 2, memoryMb: 512 } });
  });
});
