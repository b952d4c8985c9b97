import { newAuthority, type ClusterAuthorities } from '@stave/bootstrap';
import type { DriverContext, NodeSpec } from '@stave/driver-sdk';
import { aDriverContext, aNodeSpec, silentLogger } from '@stave/driver-sdk/testing';
import { ControlPlaneClaim } from './control-plane-claim.js';
import { ControlPlanes } from './control-planes.js';
import { Inventory, type NodeContainer } from './inventory.js';
import { NodeMembership } from './node-membership.js';
import { parse } from 'yaml';

const configuration = (version: string): string =>
  `apiServer:\n  certSANs:\n  - control-plane\nkind: ClusterConfiguration\nkubernetesVersion: ${version}\nnetworking: {}\n`;

describe('a node that joins a cluster', () => {
  let changes: { readonly path: string; readonly body: unknown }[];

  async function join(role: NodeSpec['role'], version: string, on: Partial<NodeContainer> = {}): Promise<unknown> {
    changes = [];
    const { certificate: authority } = await newAuthority('kubernetes', { from: new Date(), days: 1 });
    const api = {
      read: () => Promise.resolve({ data: { ClusterConfiguration: configuration('v1.34.2') } }),
      change: (_ctx: DriverContext, _method: string, path: string, { body }: { readonly body: unknown }) =>
        Promise.resolve(void changes.push({ path, body })),
    };
    const stub = <T extends object>(of: { readonly prototype: T }, members: object): T =>
      Object.assign(Object.create(of.prototype) as T, members);
    const controlPlanes = stub(ControlPlanes, {
      find: () => Promise.resolve({ api, access: { authority } }),
      authorities: () => Promise.resolve({} as ClusterAuthorities),
    });
    const membership = new NodeMembership(stub(Inventory, {}), controlPlanes, stub(ControlPlaneClaim, {}));
    const spec = aNodeSpec({ id: 'n1', role });
    const node = { nodeId: 'n1', clusterId: 'c', containerId: 'x', version, ...on } as NodeContainer;
    return membership.obtain(aDriverContext({ log: silentLogger }), spec, node);
  }

  const config = () => changes.filter(({ path }) => path.endsWith('/configmaps/kubeadm-config'));

  it('as a control plane makes the configuration of the cluster name its version, whose images it has', async () => {
    expect(await join('manager', '1.34.3')).toMatchObject({ kind: 'join', authorities: {} });
    expect(config().map(({ body }) => body)).toEqual([{ data: { ClusterConfiguration: configuration('v1.34.3') } }]);
    await join('manager', '1.34.2');
    expect(config()).toEqual([]);
  });

  it('on a machine gets a certificate for the address of the machine, once', async () => {
    const machine = { id: 'rack-1', engine: { url: 'tcp://192.0.2.7:2376' }, engineId: 'e' };
    await join('manager', '1.34.2', { machine, publicAddress: '192.0.2.7' });
    const [change] = config().map(({ body }) => body as { data: { ClusterConfiguration: string } });
    expect(parse(change?.data.ClusterConfiguration ?? '')).toEqual({
      apiServer: { certSANs: ['control-plane', '192.0.2.7'] },
      kind: 'ClusterConfiguration',
      kubernetesVersion: 'v1.34.2',
      networking: {},
    });
    await join('manager', '1.34.2', { machine, publicAddress: 'control-plane' });
    expect(config()).toEqual([]);
  });

  it('as a worker leaves the configuration of the cluster', async () => {
    expect(await join('worker', '1.34.3')).toMatchObject({ kind: 'join' });
    expect(config()).toEqual([]);
    expect(changes).toHaveLength(1);
  });
});
