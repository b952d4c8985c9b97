import {
  labelled,
  generationOf,
  ofDriver,
  pollUntil,
  undefinedOnFailure,
  type Caller,
  type DockerEngine,
  type MachineNodes,
  type VolumeSummary,
} from '@stave/docker';
import { DriverError, type DriverContext } from '@stave/driver-sdk';
import { evictPods, memberOf, removeMember, setSchedulable } from './cluster-member.js';
import { ContainerStore } from './container-store.js';
import type { ControlPlane, ControlPlanes } from './control-planes.js';
import type { NodeContainer, NodeFilter } from './inventory.js';
import type { ClusterPeers } from './machines/cluster-peers.js';
import type { NodeLauncher } from './node-launcher.js';
import { driverName } from './settings.js';

const evictWithinMs = 60_000;
const leaveWithinMs = 120_000;
const everyMs = 1_000;

/** Removes a node with everything that belongs to it alone: its pods, its membership, its container and volume. */
export class NodeRemoval {
  constructor(
    private readonly host: DockerEngine,
    private readonly controlPlanes: ControlPlanes,
    private readonly launcher: NodeLauncher,
    private readonly machines: MachineNodes,
    private readonly peers: ClusterPeers,
    private readonly installation: string,
  ) {}

  /** Moves the pods of the node to others first, while another control plane answers and the node itself runs. */
  async remove(ctx: DriverContext, node: NodeContainer): Promise<void> {
    const other = await this.controlPlanes.find(ctx, node.clusterId, node.containerId);
    if (other) await this.depart(ctx, other, node);
    ctx.progress('remove node container');
    if (node.machine) await this.machines.giveBack(ctx, node);
    else await this.launcher.remove(ctx, node);
    // the kubelet registers its node again as long as it runs
    if (other) {
      await removeMember(ctx, other.api, node.member);
      await this.removeContainers(ctx, other, node);
    }
    if (node.machine) await this.peers.spread(ctx, node.clusterId);
  }

  private async removeContainers(ctx: DriverContext, { api }: ControlPlane, { nodeId: node }: NodeContainer) {
    const store = new ContainerStore(api);
    const { installation } = this;
    for (const { metadata } of await store.records(ctx, labelled({ installation, node, unit: 'container' })))
      await store.remove(ctx, metadata.name, 0);
  }

  /** Returns the volumes of nodes that no container uses. */
  async unusedVolumes(caller: Caller, { clusterId, nodeId }: NodeFilter): Promise<readonly VolumeSummary[]> {
    const wanted = labelled({ installation: this.installation, unit: 'node', cluster: clusterId, node: nodeId });
    return ofDriver(driverName, await this.host.volumes(caller, wanted, { dangling: ['true'] }));
  }

  async removeUnusedVolumes(ctx: DriverContext, filter: NodeFilter, upTo = Infinity): Promise<void> {
    for (const volume of await this.unusedVolumes(ctx, filter))
      if (generationOf(volume.Labels) <= upTo) await this.host.removeVolume(ctx, volume.Name);
  }

  private async depart(ctx: DriverContext, other: ControlPlane, node: NodeContainer): Promise<void> {
    const member = await memberOf(ctx, other.api, node.member);
    if (!member) return;
    ctx.progress('drain node');
    await setSchedulable(ctx, other.api, node.member, false);
    if (node.state === 'running') await this.evict(ctx, other, node);
    if (node.role === 'manager') await this.leaveStore(ctx, other, node);
  }

  /** Pods that a budget keeps for longer than the time limit end with the node. */
  private async evict(ctx: DriverContext, { api }: ControlPlane, { member, nodeId }: NodeContainer): Promise<void> {
    const options = { what: `eviction of the pods of node ${nodeId}`, withinMs: evictWithinMs, everyMs };
    const message = 'pods of a node could not be evicted, and end with it';
    await undefinedOnFailure(
      ctx,
      () => pollUntil(ctx, options, async () => ((await evictPods(ctx, api, member)) === 0 ? true : undefined)),
      { nodeId, message },
    );
  }

  /** Removes the member of the key-value store that a control plane has: a store that counts members which are gone loses its majority. */
  private async leaveStore(ctx: DriverContext, other: ControlPlane, { member, nodeId }: NodeContainer): Promise<void> {
    ctx.progress('leave the control plane');
    const code = await other.machine.run(ctx, ['/usr/local/bin/etcd-member', 'remove', member], leaveWithinMs);
    if (code !== 0)
      throw new DriverError(
        'transient',
        `the member of etcd of node ${nodeId} could not be removed (exit code ${code})`,
      );
  }
}
