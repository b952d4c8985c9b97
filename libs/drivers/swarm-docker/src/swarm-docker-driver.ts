import type { Driver, DriverContext, Unit } from '@stave/driver-sdk';
import { SwarmClusters } from './cluster-lifecycle.js';
import { NodeContainers } from './container-lifecycle.js';
import type { EngineClient } from './engine-client.js';
import { SwarmInitClaim } from './swarm-init-claim.js';
import { NodeImages } from './image.js';
import { Inventory } from './inventory.js';
import { KeyedLock } from './keyed-lock.js';
import { ClusterNetworks } from './network.js';
import { NodeLauncher } from './node-launcher.js';
import { SwarmNodes } from './node-lifecycle.js';
import { HostMonitor } from './node-usage.js';
import { NodeRemoval } from './node-removal.js';
import { NodeVolumes } from './node-volumes.js';
import { RunDirectory } from './run-directory.js';
import type { SwarmDockerSettings } from './settings.js';
import { SwarmDeparture } from './swarm-departure.js';
import { SwarmManagers } from './swarm-manager.js';
import { SwarmMembership } from './swarm-membership.js';
import { SwarmRecovery } from './swarm-recovery.js';
import { Units } from './units.js';

/** Composes the parts of the driver. The driver keeps no state: every call reads the engines. */
export class SwarmDockerDriver implements Driver {
  readonly cluster: SwarmClusters;
  readonly node: SwarmNodes;
  readonly containers: NodeContainers;
  readonly monitor: HostMonitor;
  private readonly units: Units;

  constructor(host: EngineClient, settings: SwarmDockerSettings) {
    const { installation } = settings;
    const inventory = new Inventory(host, installation);
    const networks = new ClusterNetworks(host, installation);
    const runDirectory = new RunDirectory(settings.runDir, installation);
    const launcher = new NodeLauncher(host, inventory, runDirectory, installation);
    const claim = new SwarmInitClaim(host, inventory, installation);
    const managers = new SwarmManagers(inventory);
    const lock = new KeyedLock();
    const nodeVolumes = new NodeVolumes(host, installation);
    const departure = new SwarmDeparture(inventory, managers, lock);
    const removal = new NodeRemoval(departure, launcher, nodeVolumes, runDirectory);
    const images = new NodeImages(host, settings.nodeImage);
    const membership = new SwarmMembership({
      inventory,
      managers,
      claim,
      recovery: new SwarmRecovery(host, inventory, managers),
      lock,
    });
    this.cluster = new SwarmClusters({ networks, inventory, claim, managers, nodeVolumes, runDirectory });
    this.node = new SwarmNodes({ host, inventory, networks, images, launcher, membership, removal });
    this.monitor = new HostMonitor(host, inventory);
    this.containers = new NodeContainers({ host, inventory, managers, installation });
    this.units = new Units({ networks, inventory, claim, removal, nodeVolumes, runDirectory, installation });
  }

  list(ctx: DriverContext, filter?: { readonly clusterId?: string }): Promise<readonly Unit[]> {
    return this.units.list(ctx, filter?.clusterId);
  }

  remove(ctx: DriverContext, unit: Unit): Promise<void> {
    return this.units.remove(ctx, unit);
  }

  async close(): Promise<void> {
    // every request uses a connection of its own
  }
}
