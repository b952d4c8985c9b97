import { parse } from 'yaml';
import type { ClusterAuthorities } from '@stave/bootstrap';
import { undefinedOnFailure, type Caller } from '@stave/docker';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import type { Inventory, NodeContainer } from './inventory.js';
import { KubernetesApi, type ApiAccess } from '@stave/kubernetes';
import { apiPort } from './manifests.js';
import { isConfigured } from './node-boot.js';
import { NodeMachine } from './node-machine.js';

const answersWithinMs = 3_000;
const outcomeFile = '/var/lib/stave/outcome';

/** A control plane that is a member of its cluster and answers. */
export interface ControlPlane {
  readonly container: NodeContainer;
  readonly machine: NodeMachine;
  readonly access: ApiAccess;
  readonly api: KubernetesApi;
}

/** Finds the control planes of clusters. The driver keeps none of their keys: it reads them from the control planes. */
export class ControlPlanes {
  constructor(private readonly inventory: Inventory) {}

  machineOf({ engine, containerId }: Pick<NodeContainer, 'engine' | 'containerId'>): NodeMachine {
    return new NodeMachine(engine, containerId);
  }

  /** Returns how the bootstrapping of a node ended: `ready`, or which step failed; undefined before its end. */
  async outcomeOf(caller: Caller, node: Pick<NodeContainer, 'engine' | 'containerId'>): Promise<string | undefined> {
    return (await this.machineOf(node).read(caller, outcomeFile))?.trim();
  }

  /** Returns whether a node has its whole configuration, and so what makes it a member. */
  async isConfigured(caller: Caller, node: NodeContainer): Promise<boolean> {
    return !hasNeverRun(node) && isConfigured(caller, this.machineOf(node));
  }

  /** As `isConfigured`; of a node that cannot be asked, it has to be assumed. */
  async mayBeMember(ctx: DriverContext, node: NodeContainer): Promise<boolean> {
    if (node.state === 'unreachable' || node.state === 'replaced') return true;
    return (await undefinedOnFailure(ctx, () => this.isConfigured(ctx, node))) ?? true;
  }

  /** Returns the nodes with the control planes that run and are waiting to become members as nodes that do not run. */
  withoutWaiting(ctx: DriverContext, nodes: readonly NodeContainer[]): Promise<readonly NodeContainer[]> {
    return Promise.all(
      nodes.map(async node => {
        if (node.role !== 'manager' || (await this.mayBeMember(ctx, node))) return node;
        return { ...node, state: 'created' };
      }),
    );
  }

  /** Returns a control plane that answers, other than the container `except`; undefined when there is none. */
  async find(ctx: DriverContext, clusterId: string, except?: string): Promise<ControlPlane | undefined> {
    const managers = await this.inventory.nodes(ctx, { clusterId, role: 'manager' });
    for (const container of managers) {
      if (container.state !== 'running' || container.containerId === except) continue;
      const found = await this.open(ctx, container);
      if (found) return found;
    }
    return undefined;
  }

  /** As `find`. Throws a transient DriverError when none answers. */
  async require(ctx: DriverContext, clusterId: string): Promise<ControlPlane> {
    const found = await this.find(ctx, clusterId);
    if (!found) throw new DriverError('transient', `no control plane of cluster ${clusterId} answers`);
    return found;
  }

  /** Returns the authorities of a cluster: secrets. */
  async authorities(caller: Caller, { machine }: ControlPlane): Promise<ClusterAuthorities> {
    const file = async (name: string): Promise<string> => {
      const content = await machine.read(caller, `/etc/kubernetes/pki/${name}`);
      if (content === undefined) throw new DriverError('transient', `the control plane has no file ${name}`);
      return content;
    };
    const pair = async (name: string) => ({ certificate: await file(`${name}.crt`), key: await file(`${name}.key`) });
    return {
      cluster: await pair('ca'),
      frontProxy: await pair('front-proxy-ca'),
      etcd: await pair('etcd/ca'),
      serviceAccount: { publicKey: await file('sa.pub'), privateKey: await file('sa.key') },
    };
  }

  private async open(ctx: DriverContext, container: NodeContainer): Promise<ControlPlane | undefined> {
    try {
      if ((await this.outcomeOf(ctx, container)) !== 'ready') return undefined;
      const machine = this.machineOf(container);
      const access = accessIn(await machine.read(ctx, '/etc/kubernetes/admin.conf'), container.publicAddress);
      if (!access) return undefined;
      const api = new KubernetesApi(access);
      await api.read(ctx, '/readyz', { timeoutMs: answersWithinMs });
      return { container, machine, access, api };
    } catch (error) {
      if (ctx.signal.aborted || !(error instanceof DriverError)) throw error;
      ctx.log.debug({ nodeId: container.nodeId, reason: error.message }, 'a control plane does not answer');
      return undefined;
    }
  }
}

const hasNeverRun = ({ state }: NodeContainer): boolean => state === 'created' || state === 'absent';

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  readonly users: readonly [{ readonly user: Readonly<Record<string, string>> }];
}

function accessIn(kubeconfig: string | undefined, address: string): ApiAccess | undefined {
  if (kubeconfig === undefined) return undefined;
  const { clusters, users } = parse(kubeconfig) as Kubeconfig;
  const pem = (base64 = ''): string => Buffer.from(base64, 'base64').toString('utf8');
  return {
    address,
    port: apiPort,
    authority: pem(clusters[0].cluster['certificate-authority-data']),
    certificate: pem(users[0].user['client-certificate-data']),
    key: pem(users[0].user['client-key-data']),
  };
}
