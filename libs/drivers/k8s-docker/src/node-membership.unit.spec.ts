import { newAuthority, type ClusterAuthorities } from '@stave/bootstrap';
import type { DriverContext, NodeSpec } from '@stave/driver-sdk';
import { aDriverContext, aNodeSpec, silentLogger } from '@stave/driver-sdk/testing';
import { ControlPlaneClaim } from './control-plane-claim.js';
import { ControlPlanes } from './control-planes.js';
import { Inventory, type NodeContainer } from './inventory.js';
import { NodeMembership } from './node-membership.js';

const configuration = (version: string): string =>
  `apiServer: {}\nkind: ClusterConfiguration\nkubernetesVersion: ${version}\nnetworking: {}\n`;

describe('a node that joins a cluster', () => {
  let changes: { readonly path: string; readonly body: unknown }[];

  async function join(role: NodeSpec['role'], version: string): Promise<unknown> {
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
    const node = { nodeId: 'n1', clusterId: 'c', containerId: 'x', version } as NodeContainer;
    return membership.obtain(aDriverContext({ log: silentLogger }), spec, node);
  }

  const config = () => changes.filter(({ path }) => path.endsWith('/configmaps/kubeadm-config'));

  it('as a control plane makes the configuration of the cluster name its version, whose images it has', async () => {
    expect(await join('manager', '1.34.3')).toMatchObject({ kind: 'join', authorities: {} });
    expect(config().map(({ body }) => body)).toEqual([{ data: { ClusterConfiguration: configuration('v1.34.3') } }]);
    await join('manager', '1.34.2');
    expect(config()).toEqual([]);
  });

  it('as a worker leaves the configuration of the cluster', async () => {
    expect(await join('worker', '1.34.3')).toMatchObject({ kind: 'join' });
    expect(config()).toEqual([]);
    expect(changes).toHaveLength(1);
  });
});
