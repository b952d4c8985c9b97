import { randomInt } from 'node:crypto';
import { parse, stringify } from 'yaml';
import {
  bootstrapTokenManifest,
  certificateHash,
  newAuthority,
  newBootstrapToken,
  newServiceAccountKeys,
  type ClusterAuthorities,
} from '@stave/bootstrap';
import { label, pollUntil, undefinedOnFailure } from '@stave/docker';
import type { DriverContext, NodeSpec } from '@stave/driver-sdk';
import type { ControlPlaneClaim } from './control-plane-claim.js';
import type { ControlPlane, ControlPlanes } from './control-planes.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { Membership } from './node-description.js';

const controlPlaneWithinMs = 300_000;
const everyMs = 1_000;
const tokenMs = 900_000;
const tokens = '/api/v1/namespaces/kube-system/secrets';
const secretOf = (nodeId: string): string => `${nodeId} bootstrap token`;
const authorityDays = 3_650;
/** Clocks of clients may be behind. */
const clockSkewMs = 300_000;

/** Decides how a node that has no configuration yet becomes a member of its cluster. */
export class NodeMembership {
  constructor(
    private readonly inventory: Inventory,
    private readonly controlPlanes: ControlPlanes,
    private readonly claim: ControlPlaneClaim,
  ) {}

  /** Waits for a control plane to join, or says that this node makes the cluster. Throws a transient error when neither happens in time. */
  obtain(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<Membership> {
    ctx.progress(spec.role === 'manager' ? 'join or make the cluster' : 'wait for a control plane');
    const what = `wait of node ${node.nodeId} for a control plane of cluster ${node.clusterId}`;
    return pollUntil(ctx, { what, withinMs: controlPlaneWithinMs, everyMs }, async () => {
      const found = await this.controlPlanes.find(ctx, node.clusterId, node.containerId);
      if (found) return this.join(ctx, spec, node, found);
      if (!(await this.makesCluster(ctx, spec, node))) return undefined;
      return { kind: 'init', token: newToken(), authorities: await newAuthorities() };
    });
  }

  /** A manager that has its configuration may be a member of a cluster that exists, so that another one must never be made beside it. */
  private async makesCluster(ctx: DriverContext, spec: NodeSpec, node: NodeContainer): Promise<boolean> {
    if (spec.role !== 'manager') return false;
    const managers = await this.inventory.nodes(ctx, { clusterId: node.clusterId, role: 'manager' });
    for (const other of managers)
      if (other.containerId !== node.containerId && (await this.controlPlanes.mayBeMember(ctx, other))) return false;
    return this.claim.isHolder(ctx, node);
  }

  /** Makes a token of a quarter of an hour, which admits nodes. Further control planes also get the authorities of the cluster. */
  private async join(
    ctx: DriverContext,
    spec: NodeSpec,
    node: NodeContainer,
    controlPlane: ControlPlane,
  ): Promise<Membership> {
    const token = newToken();
    const { metadata, ...manifest } = bootstrapTokenManifest(token, new Date(Date.now() + tokenMs));
    const body = { ...manifest, metadata: { ...Object(metadata), labels: { [label.node]: spec.id } } };
    // the conductor removes stored values from everything that it reports
    await ctx.secrets.put(secretOf(spec.id), token);
    await controlPlane.api.change(ctx, 'POST', tokens, { body });
    const authorityHash = certificateHash(controlPlane.access.authority);
    if (spec.role !== 'manager') return { kind: 'join', token, authorityHash };
    await describeControlPlane(ctx, controlPlane, node);
    return { kind: 'join', token, authorityHash, authorities: await this.controlPlanes.authorities(ctx, controlPlane) };
  }

  /** Removes the tokens that admitted a node, which no longer needs them. Those that stay end by themselves. */
  async forget(ctx: DriverContext, { id }: NodeSpec, { api }: ControlPlane): Promise<void> {
    const query = { labelSelector: `${label.node}=${id}` };
    await undefinedOnFailure(ctx, () => api.change(ctx, 'DELETE', tokens, { query }), {
      nodeId: id,
      message: 'the join token of a node was not removed',
    });
    await ctx.secrets.delete(secretOf(id));
  }
}

/**
 * Makes the configuration of the cluster name the version of a node that is about to become a control plane: kubeadm takes from it which images
 * the node runs, and the node has those of its own version only. On a machine its certificate also gets the address of that.
 */
async function describeControlPlane(
  ctx: DriverContext,
  { api }: ControlPlane,
  { version, publicAddress, machine }: NodeContainer,
): Promise<void> {
  const path = '/api/v1/namespaces/kube-system/configmaps/kubeadm-config';
  const { data } = await api.read<{ readonly data: Readonly<Record<'ClusterConfiguration', string>> }>(ctx, path);
  const versioned = data.ClusterConfiguration.replace(/^kubernetesVersion: .*$/m, `kubernetesVersion: v${version}`);
  const changed = machine ? withCertificateName(versioned, publicAddress) : versioned;
  if (changed === data.ClusterConfiguration) return;
  const body = { data: { ClusterConfiguration: changed } };
  await api.change(ctx, 'PATCH', path, { body, contentType: 'application/merge-patch+json' });
}

interface ClusterConfiguration {
  readonly apiServer?: { readonly certSANs?: readonly string[] };
}

function withCertificateName(text: string, name: string): string {
  const configuration = parse(text) as ClusterConfiguration;
  const names = configuration.apiServer?.certSANs ?? [];
  if (names.includes(name)) return text;
  return stringify({ ...configuration, apiServer: { ...configuration.apiServer, certSANs: [...names, name] } });
}

/** Those of a new cluster, of a kind that this library can issue certificates with. Only the control planes keep them. */
export async function newAuthorities(): Promise<ClusterAuthorities> {
  const validity = { from: new Date(Date.now() - clockSkewMs), days: authorityDays };
  return {
    cluster: await newAuthority('kubernetes', validity),
    frontProxy: await newAuthority('front-proxy-ca', validity),
    etcd: await newAuthority('etcd-ca', validity),
    serviceAccount: await newServiceAccountKeys(),
  };
}

/** Returns a new bootstrap token. */
export const newToken = (): string => newBootstrapToken(Array.from({ length: 22 }, () => randomInt(36)));
