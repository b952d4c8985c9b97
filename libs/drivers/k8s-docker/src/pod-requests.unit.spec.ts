import type { DriverContext } from '@stave/driver-sdk';
import { aDriverContext, silentLogger } from '@stave/driver-sdk/testing';
import { ClusterNetworks, DockerEngine } from '@stave/docker';
import { ControlPlanes } from './control-planes.js';
import { Inventory } from './inventory.js';
import { ClusterPeers } from './machines/cluster-peers.js';
import { ApiError } from '@stave/kubernetes';
import { HostMonitor } from './node-usage.js';
import { podRequest, quantity, reservations, type PlacedPod } from './pod-requests.js';

type Requests = Readonly<Record<string, string>>;

const asking = (requests?: Requests, more: object = {}) => ({ resources: { ...(requests && { requests }) }, ...more });
const pod = (spec: Partial<PlacedPod['spec']>, owner = 'ReplicaSet'): PlacedPod => ({
  metadata: { namespace: 'default', ownerReferences: [{ kind: owner }] },
  spec: { nodeName: 'w-1', containers: [], ...spec },
});
const request = (spec: Partial<PlacedPod['spec']>) => podRequest(pod(spec));

describe('quantities of Kubernetes', () => {
  it.each([
    ['0', 0],
    ['250m', 0.25],
    ['1.5', 1.5],
    ['2', 2],
    ['1e3', 1_000],
    ['5E', 5e18],
    ['64Mi', 64 * 2 ** 20],
    ['1Gi', 2 ** 30],
    ['500M', 5e8],
    ['100n', 1e-7],
  ])('%s is %d', (text, value) => {
    expect(quantity(text)).toBeCloseTo(value, 9);
  });

  it('other text is refused', () => {
    for (const text of ['', 'Mi', '1Zi', '1 Mi']) expect(() => quantity(text)).toThrow('is not a quantity');
  });
});

describe('what a pod holds on its node', () => {
  it('is the sum of its containers, and nothing without requests', () => {
    const containers = [asking({ cpu: '100m', memory: '64Mi' }), asking({ cpu: '1', memory: '1Gi' }), asking()];
    expect(request({ containers })).toEqual({ cpus: 1.1, memoryMb: 1_088 });
    expect(request({ containers: [{}] })).toEqual({ cpus: 0, memoryMb: 0 });
  });

  it('is what its start needs where that is more, and sidecars run beside everything after them', () => {
    const initContainers = [
      asking({ memory: '10Mi' }, { restartPolicy: 'Always' }),
      asking({ cpu: '2', memory: '100Mi' }),
    ];
    const containers = [asking({ cpu: '100m', memory: '200Mi' })];
    expect(request({ initContainers, containers })).toEqual({ cpus: 2, memoryMb: 210 });
  });

  it('is what the pod asks for as a whole, with the overhead of its runtime', () => {
    const containers = [asking({ cpu: '100m', memory: '64Mi' })];
    const whole = { containers, resources: { requests: { memory: '512Mi' } }, overhead: { memory: '16Mi' } };
    expect(request(whole)).toEqual({ cpus: 0.1, memoryMb: 528 });
  });

  it('is added up by node, with the part that each node of the group has', () => {
    const containers = [asking({ cpu: '100m', memory: '64Mi' })];
    const pods = [
      pod({ containers }),
      pod({ containers }, 'DaemonSet'),
      pod({ containers, nodeName: 'm-1' }, 'Node'),
      { ...pod({ containers }), spec: { containers } },
    ];
    const own = { cpus: 0.1, memoryMb: 64 };
    expect([...reservations(pods)]).toEqual([
      ['w-1', { cpus: 0.2, memoryMb: 128, daemons: own }],
      ['m-1', { ...own, daemons: own }],
    ]);
  });
});

describe('the monitor of nodes', () => {
  const none = { cpus: 0, memoryMb: 0, daemons: { cpus: 0, memoryMb: 0 } };
  const nodes = [
    { nodeId: 'n1', clusterId: 'c1', containerId: 'x1', member: 'w-1', state: 'running' },
    { nodeId: 'n2', clusterId: 'c1', containerId: 'x2', member: 'w-2', state: 'running' },
    { nodeId: 'n3', clusterId: 'c2', containerId: 'x3', member: 'w-1', state: 'running' },
  ];
  const asked: unknown[] = [];

  function monitor(): HostMonitor {
    const engine = Object.create(DockerEngine.prototype, {
      stats: { value: () => Promise.resolve({ cpuCores: 0.5, memoryMb: 100, at: '' }) },
    }) as DockerEngine;
    const inventory = Object.create(Inventory.prototype, {
      nodes: { value: () => Promise.resolve(nodes.map(node => ({ ...node, engine }))) },
    }) as Inventory;
    const read = (_ctx: DriverContext, path: string, options: object): Promise<unknown> => {
      asked.push({ path, ...options });
      return Promise.resolve({ items: [pod({ containers: [asking({ memory: '64Mi' })] })] });
    };
    const find = (_ctx: DriverContext, id: string): Promise<unknown> =>
      id === 'c1' ? Promise.resolve({ api: { read } }) : Promise.reject(new ApiError('transient', 'silent', 0));
    const controlPlanes = Object.create(ControlPlanes.prototype, { find: { value: find } }) as ControlPlanes;
    const networks = Object.create(ClusterNetworks.prototype) as ClusterNetworks;
    return new HostMonitor(inventory, controlPlanes, new ClusterPeers(networks, inventory, controlPlanes));
  }

  it('says what Kubernetes holds on each node, also nothing, and leaves it open where no control plane answers', async () => {
    const use = { cpuCores: 0.5, memoryMb: 100 };
    expect(await monitor().usage(aDriverContext({ log: silentLogger }))).toEqual([
      { nodeId: 'n1', ...use, reserved: { ...none, memoryMb: 64 } },
      { nodeId: 'n2', ...use, reserved: none },
      { nodeId: 'n3', ...use },
    ]);
    const fieldSelector = 'metadata.namespace!=stave-containers,status.phase!=Succeeded,status.phase!=Failed';
    expect(asked).toEqual([{ path: '/api/v1/pods', query: { fieldSelector, resourceVersion: 0 } }]);
  });
});
