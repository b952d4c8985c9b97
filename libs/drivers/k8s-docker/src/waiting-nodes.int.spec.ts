import { hostSocket } from '@stave/docker/testing';
import { pollUntil } from '@stave/docker';
import type { NodeSpec } from '@stave/driver-sdk';
import { aDriverContext, describeOn, silentLogger } from '@stave/driver-sdk/testing';
import { memberName } from './node-description.js';
import { NodeMachine } from './node-machine.js';
import { kubectl, runOn } from './testing/kubernetes-client.fixture.js';
import { kubernetesMissing } from './testing/node-image.fixture.js';
import { clusterSpec, managerSpec, nodeSpec, RealClusters, ref } from './testing/real-clusters.fixture.js';

const minutes = 60_000;
const mostChanges = 12;
const configured = '/etc/stave/configured';

describeOn(kubernetesMissing(), 'nodes of k8s_docker that boot before they can be members', () => {
  jest.setTimeout(10 * minutes);
  let real: RealClusters;
  const manager = managerSpec('m-1');
  const worker = nodeSpec('w-1');

  const machineOf = async ({ id }: NodeSpec): Promise<NodeMachine> =>
    new NodeMachine(real.host, (await real.container(id)).Id);
  const has = async (spec: NodeSpec, path: string): Promise<boolean> =>
    (await (await machineOf(spec)).read(real.ctx, path)) !== undefined;
  const hasIn = (spec: NodeSpec, path: string): Promise<true> =>
    pollUntil(real.ctx, { what: `${path} of ${spec.id}`, withinMs: 3 * minutes, everyMs: 500 }, async () => {
      const exists = await real.container(spec.id).catch(() => undefined);
      return (exists && (await has(spec, path))) || undefined;
    });
  const asAdministrator = async (...command: readonly string[]): Promise<string> =>
    kubectl((await real.container(manager.id)).Id, ...command);
  const members = async (): Promise<string[]> =>
    (await asAdministrator('get', 'nodes', '--output', 'name')).split('\n').sort();
  const namesOf = (...specs: readonly NodeSpec[]): string[] => specs.map(spec => `node/${memberName(spec)}`).sort();

  /**
   * Creates a node by attempts, of which each ends before one of its changes: the first, then the first and the second, and so on. Returns at
   * which steps they ended.
   */
  async function createInterrupted(spec: NodeSpec): Promise<ReadonlySet<string>> {
    const ended = new Set<string>();
    for (let most = 1; most <= mostChanges; most += 1)
      for (let last = 1; last <= most; last += 1) {
        const step = await endedAt(spec, last);
        if (step === undefined) return ended;
        ended.add(step);
      }
    throw new Error(`node ${spec.id} is not complete after ${mostChanges} changes`);
  }

  /** Creates a node by a conductor that ends before this change; undefined when there are fewer. */
  async function endedAt(spec: NodeSpec, change: number): Promise<string | undefined> {
    let [changes, step] = [0, ''];
    const checkpoint = (): void => {
      if (++changes === change) throw new Error(`the conductor ended before change ${change}`);
    };
    const progress = (text: string): void => void (step = text);
    const ctx = aDriverContext({ log: silentLogger, checkpoint, progress });
    const [{ status }] = await Promise.allSettled([real.driver.node.create(ctx, spec)]);
    return status === 'fulfilled' ? undefined : step;
  }

  beforeAll(async () => {
    real = await RealClusters.open();
    await real.driver.cluster.create(real.ctx, clusterSpec());
  });

  afterAll(async () => {
    await real.close();
    expect(await real.leftovers()).toEqual([]);
  });

  it('a worker runs and loads its images while its cluster has no control plane', async () => {
    const conductor = new AbortController();
    const ctx = aDriverContext({ log: silentLogger, signal: conductor.signal });
    const creation = Promise.allSettled([real.driver.node.create(ctx, worker)]);
    expect(await hasIn(worker, '/var/lib/containerd/.node-images')).toBe(true);
    expect((await real.container(worker.id)).State).toBe('running');
    expect(await real.driver.list(real.ctx)).toContainEqual(
      expect.objectContaining({ kind: 'node', resourceId: 'w-1', state: 'running' }),
    );
    expect(await has(worker, configured)).toBe(false);
    conductor.abort();
    expect(await creation).toMatchObject([{ status: 'rejected' }]);
  });

  it('a worker that was rebooted while it waited joins as soon as there is a control plane', async () => {
    await real.driver.node.hardReboot(real.ctx, ref(worker.id));
    await Promise.all([manager, worker].map(spec => real.driver.node.create(real.ctx, spec)));
    expect(await members()).toEqual(namesOf(manager, worker));
  });

  it('a worker and a further control plane become members when each of their changes is interrupted', async () => {
    const others = [nodeSpec('w-2'), managerSpec('m-2', { ordinal: 1 })];
    const steps = ['create node container', 'start node', 'configure node', 'label node'];
    for (const spec of others) expect([...(await createInterrupted(spec))]).toEqual(expect.arrayContaining(steps));
    expect(await members()).toEqual(namesOf(manager, worker, ...others));
    const tokens = ['get', 'secrets', '--namespace', 'kube-system', '--selector', 'stave.node', '--output', 'name'];
    expect(await asAdministrator(...tokens)).toBe('');
  });

  it('all units of the configuration run: a control plane has the timer that renews its certificates', async () => {
    for (const id of ['m-1', 'm-2']) {
      const timer = ['systemctl', 'is-active', 'stave-certificates.timer'];
      expect(runOn(hostSocket, (await real.container(id)).Id, ...timer).trim()).toBe('active');
    }
  });

  it('a node that got its configuration from an earlier release, before it first ran, keeps it', async () => {
    const { Id } = await real.container(worker.id);
    runOn(hostSocket, Id, 'rm', configured, '/etc/systemd/system/stave-configured.path');
    await real.driver.node.create(real.ctx, worker);
    expect(await has(worker, configured)).toBe(false);
    expect(await members()).toHaveLength(4);
  });
});
