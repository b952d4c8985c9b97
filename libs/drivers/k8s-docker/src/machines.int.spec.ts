import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pollUntil } from '@stave/docker';
import { hostSocket, TestMachines, type Reach, type TestMachine } from '@stave/docker/testing';
import type { Machine, MachineContents, MachineLifecycle, NodeSpec, Unit } from '@stave/driver-sdk';
import { describeOn } from '@stave/driver-sdk/testing';
import type { KubernetesApi } from '@stave/kubernetes';
import type { MemberNode } from './cluster-member.js';
import { memberName } from './node-description.js';
import { NodeMachine } from './node-machine.js';
import { clientOf, loadPodImage, pod, runOn } from './testing/kubernetes-client.fixture.js';
import { kubernetesMissing } from './testing/node-image.fixture.js';
import { clusterSpec, managerSpec, nodeSpec, RealClusters, ref } from './testing/real-clusters.fixture.js';

const minutes = 60_000;
const ready = { withinMs: 5 * minutes, everyMs: 500 };
const pods = '/api/v1/namespaces/default/pods';
/** Asks the Service of the test for a file, for at most so many seconds. */
const request = (file: string, seconds: number): string =>
  `printf "GET /${file} HTTP/1.0\\r\\n\\r\\n" | timeout ${seconds} nc web.default.svc.cluster.local 80`;
const ask = `until ${request('hello', 3)} | grep it-answers; do sleep 1; done; sleep 1000`;
const largeBytes = 20_000_000;

interface Registered {
  readonly one: TestMachine;
  readonly machine: Machine;
  readonly contents: MachineContents;
}

describeOn(kubernetesMissing(), 'clusters of k8s_docker on machines', () => {
  jest.setTimeout(25 * minutes);
  let machines: TestMachines;
  let real: RealClusters;
  let member: KubernetesApi;
  let dataDir = '';
  let [a, b, c, spare]: Registered[] = [];
  const manager = managerSpec('m-1');
  const first = nodeSpec('w-1');
  const second = nodeSpec('w-2');

  const given = (registered: Registered | undefined): Registered => {
    if (!registered) throw new Error('the machine was not registered');
    return registered;
  };
  const lifecycle = (): MachineLifecycle => {
    if (!real.driver.machines) throw new Error('the driver takes no machines');
    return real.driver.machines;
  };
  const clean = ({ machine }: Registered) => lifecycle().clean(real.ctx, { ...machine, generation: 2 });
  /** Starts a machine, and registers it as the service does. */
  async function register(name: string, how: Reach): Promise<Registered> {
    const one = await machines.start(name, { memoryMb: 3_072, runsNodes: true });
    await one.engine.createVolume(real.ctx, 'precious', { owner: 'operator' });
    const machine = { id: name, engine: await machines.reach(one, how) };
    const { engineId, contents } = await lifecycle().probe(real.ctx, { ...machine, generation: 1 });
    return { one, machine: { ...machine, engineId }, contents };
  }
  const create = (spec: NodeSpec, { machine }: Registered) => real.driver.node.create(real.ctx, { ...spec, machine });
  const containerOn = async ({ one }: Registered): Promise<string> =>
    (await one.engine.containers(real.ctx, {}))[0]?.Id ?? '';
  const loadPods = async (registered: Registered): Promise<void> =>
    loadPodImage(await containerOn(registered), registered.one.socket);
  const peersOn = async (registered: Registered): Promise<string> =>
    (await new NodeMachine(registered.one.engine, await containerOn(registered)).read(real.ctx, '/etc/stave/peers')) ??
    '';

  const credentials = async (): Promise<KubernetesApi> =>
    clientOf((await real.driver.cluster.credentials(real.ctx, ref('cluster-1')))['kubeconfig'] ?? '');
  const nodes = async (): Promise<readonly MemberNode[]> =>
    (await member.read<{ items: readonly MemberNode[] }>(real.ctx, '/api/v1/nodes')).items;
  const namesOf = (all: readonly MemberNode[]): string[] => all.map(({ metadata }) => metadata.name).sort();
  const run = (name: string, command: string, at: NodeSpec): Promise<unknown> => {
    const body = pod(name, ['sh', '-c', command], { nodeName: memberName(at) });
    return member.change(real.ctx, 'POST', pods, { body });
  };
  const inLog = (name: string, wanted: string): Promise<true> =>
    pollUntil(real.ctx, { what: `log of ${name}`, ...ready }, async () => {
      const log = await member.read<string>(real.ctx, `${pods}/${name}/log`).catch(() => '');
      return log.includes(wanted) || undefined;
    });
  const unitOf = async (id: string): Promise<readonly Unit[]> =>
    (await real.driver.list(real.ctx)).filter(({ kind, resourceId }) => kind === 'node' && resourceId === id);

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sk-'));
    machines = await TestMachines.open();
    real = await RealClusters.open({ SECRETS_DIR: machines.secretsDir }, dataDir);
    // an address that is free later would become that of a machine which is started then
    spare = await register('d', 'tcp');
    [a, b, c] = [await register('a', 'unix'), await register('b', 'ssh'), await register('c', 'tcp')];
    await real.driver.cluster.create(real.ctx, clusterSpec());
    await Promise.all([create(manager, a), create(first, b), create(second, c)]);
    member = await credentials();
    for (const each of [a, b, c]) await loadPods(each);
  });

  afterAll(async () => {
    await real?.close();
    await machines?.close();
    await rm(dataDir, { recursive: true, force: true });
    expect(await real?.leftovers()).toEqual([]);
  });

  it('a control plane and two workers on three machines are one cluster, and as large as the machines', async () => {
    const found = (await nodes()).map(({ metadata }) => metadata.labels?.['stave.node']).sort();
    expect(found).toEqual(['m-1', 'w-1', 'w-2']);
    const node = await real.driver.node.inspect(real.ctx, ref('w-1'));
    expect(node?.addresses[0]).toBe(given(b).one.address);
    expect(node?.capacity).toMatchObject({ memoryMb: 3_072 - 512 });
    expect(await unitOf('w-1')).toMatchObject([{ state: 'running' }]);
    expect(await real.driver.monitor?.usage(real.ctx)).toHaveLength(3);
  });

  it('a Service answers from a pod on another machine, by its name', async () => {
    const files = `mkdir -p /www && echo it-answers >/www/hello && head -c ${largeBytes} /dev/zero >/www/large`;
    await run('web', `${files} && httpd -f -p 8080 -h /www`, first);
    const spec = { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] };
    const body = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec };
    await member.change(real.ctx, 'POST', '/api/v1/namespaces/default/services', { body });
    await run('far', ask, second);
    await run('central', ask, manager);
    for (const name of ['far', 'central']) expect(await inLog(name, 'it-answers')).toBe(true);
  });

  it('what is larger than a packet reaches another machine complete', async () => {
    const take = `until [ "$(${request('large', 60)} | wc -c)" -gt ${largeBytes} ]; do sleep 1; done; echo complete; sleep 1000`;
    await run('taker', take, second);
    expect(await inLog('taker', 'complete')).toBe(true);
  });

  it('a node takes packets of the overlay from its peers only, and no pod can send any', async () => {
    const node = given(b);
    const containerId = await containerOn(node);
    const dropped = (rule: string): Promise<true> =>
      pollUntil(real.ctx, { what: `a packet that ${rule} drops`, ...ready }, () => {
        const rules = runOn(node.one.socket, containerId, 'iptables-save', '--counters').split('\n');
        const counted = Number(/^\[(\d+):/.exec(rules.find(line => line.endsWith(rule)) ?? '')?.[1] ?? 0);
        return Promise.resolve(counted > 0 || undefined);
      });
    await run('sender', `while true; do timeout 2 tftp -g -r x -l /tmp/x ${given(a).one.address} 4789; done`, first);
    expect(await dropped('-A FORWARD -p udp -m udp --dport 4789 -j DROP')).toBe(true);
    const send = `timeout 2 tftp -g -r x -l /tmp/x ${node.one.address} 4789; true`;
    runOn(hostSocket, given(spare).one.containerId, 'sh', '-c', send);
    expect(await dropped('-A STAVE-PEERS -j DROP')).toBe(true);
  });

  it('a machine that is cut off is reported as silent, and replaced by another one, which the others know', async () => {
    const [lost, other] = [given(c), given(spare)];
    await machines.cutOff(lost.one);
    expect(await unitOf('w-2')).toMatchObject([{ state: 'running', containersUnknown: true }]);
    const replaced = { ...second, generation: 2, machine: other.machine };
    await real.driver.node.rebuild(real.ctx, replaced);
    expect(namesOf(await nodes())).toEqual([manager, first, second].map(memberName).sort());
    for (const each of [a, b]) {
      const known = await peersOn(given(each));
      expect(known).toContain(` ${other.one.address}\n`);
      expect(known).not.toContain(` ${lost.one.address}\n`);
    }
    await loadPods(other);
    await run('again', ask, replaced);
    expect(await inLog('again', 'it-answers')).toBe(true);
    await machines.reconnect(lost.one);
    expect(await clean(lost)).toEqual(lost.contents);
  });

  it('a node on a machine is a member again after a hard reboot', async () => {
    await real.driver.node.hardReboot(real.ctx, ref('w-1'));
    await run('after', ask, manager);
    expect(await inLog('after', 'it-answers')).toBe(true);
  });

  it('a further control plane joins, and the cluster outlives the first one', async () => {
    const further = managerSpec('m-2', { ordinal: 1 });
    await create(further, given(c));
    await real.driver.node.delete(real.ctx, ref('m-1', 2));
    member = await credentials();
    expect(namesOf(await nodes())).toEqual([further, first, second].map(memberName).sort());
    // the kubelet of the node has to find the other control plane
    await run('late', ask, first);
    expect(await inLog('late', 'it-answers')).toBe(true);
  });

  it('all machines are given back as they were', async () => {
    for (const id of ['w-1', 'w-2', 'm-2']) await real.driver.node.delete(real.ctx, ref(id, 2));
    await real.driver.cluster.delete(real.ctx, ref('cluster-1'));
    expect(await real.driver.list(real.ctx)).toEqual([]);
    for (const each of [a, b, c, spare]) expect(await clean(given(each))).toEqual(given(each).contents);
    expect(given(a).contents.volumes).toEqual(['precious']);
  });
});
