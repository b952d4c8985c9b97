import type { Driver } from '@stave/driver-sdk';
import { SwarmClusters } from './cluster-lifecycle.js';
import { NodeContainers } from './container-lifecycle.js';
import type { DockerEngine } from './docker-engine.js';
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
export function swarmDockerDriver(
  host: DockerEngine,
  { installation, runDir, nodeImage }: SwarmDockerSettings,
): Driver {
  const inventory = new Inventory(host, installation);
  const networks = new ClusterNetworks(host, installation);
  const runDirectory = new RunDirectory(runDir, installation);
  const launcher = new NodeLauncher(host, inventory, runDirectory, installation);
  const claim = new SwarmInitClaim(host, inventory, installation);
  const managers = new SwarmManagers(inventory);
  const lock = new KeyedLock();
  const nodeVolumes = new NodeVolumes(host, installation);
  const departure = new SwarmDeparture(inventory, managers, lock);
  const removal = new NodeRemoval(departure, launcher, nodeVolumes, runDirectory);
  const recovery = new SwarmRecovery(host, inventory, managers);
  const membership = new SwarmMembership(inventory, managers, claim, recovery, lock);
  const images = new NodeImages(host, nodeImage);
  const clusters = new SwarmClusters(networks, inventory, claim, managers, nodeVolumes, runDirectory);
  const units = new Units({ host, networks, inventory, claim, clusters, removal, nodeVolumes });
  return {
    cluster: clusters,
    node: new SwarmNodes(inventory, networks, images, launcher, membership, removal),
    containers: new NodeContainers(host, inventory, managers, installation),
    monitor: new HostMonitor(host, inventory),
    list: (ctx, filter) => units.list(ctx, filter?.clusterId),
    remove: (ctx, unit) => units.remove(ctx, unit),
    close: async () => undefined, // every request uses a connection of its own
  };
}
