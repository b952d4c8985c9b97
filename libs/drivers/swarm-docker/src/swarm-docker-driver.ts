import { DriverError, type Driver, type DriverModule } from '@stave/driver-sdk';
import {
  ClusterNetworks,
  DockerEngine,
  DockerMachines,
  KeyedLock,
  MachineCleaner,
  MachineEndpoints,
  MachineEngines,
  MachineNodes,
  MachineSecrets,
} from '@stave/docker';
import { swarmApi } from './api.js';
import { SwarmClusters } from './cluster-lifecycle.js';
import { restrictionsOf } from './container-rules.js';
import { ContainerNetworks } from './container-networks.js';
import { ContainerVolumes } from './container-volumes.js';
import { ContainerMonitor } from './container-usage.js';
import { NodeContainers } from './container-lifecycle.js';
import { SwarmInitClaim } from './swarm-init-claim.js';
import { NodeImages } from './image.js';
import { Inventory } from './inventory.js';
import { NodeLauncher } from './node-launcher.js';
import { NodeMaker } from './node-maker.js';
import { SwarmNodes } from './node-lifecycle.js';
import { HostMonitor } from './node-usage.js';
import { NodeRemoval } from './node-removal.js';
import { NodeVolumes } from './node-volumes.js';
import { RunDirectory } from './run-directory.js';
import { driverName, readSettings, type SwarmDockerSettings } from './settings.js';
import { SwarmDeparture } from './swarm-departure.js';
import { SwarmManagers } from './swarm-manager.js';
import { SwarmMembership } from './swarm-membership.js';
import { Units } from './units.js';

const unbound = { signal: new AbortController().signal, checkpoint: () => undefined };

/** The module of the driver. Throws a transient DriverError when no engine answers. */
export const swarmDockerModule: DriverModule = {
  restrictions: restrictionsOf,
  async open(settings) {
    const own = readSettings(settings);
    const host = new DockerEngine(own.hostSocket);
    try {
      await host.read(unbound, '/_ping', { timeoutMs: 5_000 });
    } catch (cause) {
      const message = `no Docker Engine answers at unix://${own.hostSocket}: start one, or set DOCKER_HOST`;
      throw new DriverError('transient', message, { cause });
    }
    return compose(host, own, restrictionsOf(settings.env));
  },
};

/** Composes the parts of the driver. The driver keeps no state: every call reads the engines. */
function compose(
  host: DockerEngine,
  { installation, runDir, nodeImage, plugins, secretsDir }: SwarmDockerSettings,
  allowed: ReturnType<typeof restrictionsOf>,
): Driver {
  const engines = new MachineEngines(new MachineEndpoints(new MachineSecrets(secretsDir), runDir));
  const cleaner = new MachineCleaner(engines, installation);
  const inventory = new Inventory(host, installation, engines);
  const machineNodes = new MachineNodes(host, engines, cleaner, installation, driverName);
  const networks = new ClusterNetworks(host, installation, driverName);
  const runDirectory = new RunDirectory(runDir, installation);
  const launcher = new NodeLauncher(host, inventory, runDirectory, installation, plugins);
  const claim = new SwarmInitClaim(host, inventory, installation);
  const managers = new SwarmManagers(inventory);
  const lock = new KeyedLock();
  const nodeVolumes = new NodeVolumes(host, installation);
  const departure = new SwarmDeparture(inventory, managers, lock);
  const removal = new NodeRemoval(departure, launcher, nodeVolumes, runDirectory, machineNodes);
  const membership = new SwarmMembership(inventory, managers, claim, lock);
  const images = new NodeImages(host, nodeImage, allowed.nodeImages);
  const maker = new NodeMaker(inventory, images, launcher, machineNodes);
  const clusters = new SwarmClusters(networks, inventory, claim, managers, nodeVolumes, runDirectory);
  const containerNetworks = new ContainerNetworks(inventory, managers, installation, allowed.containers);
  const volumes = new ContainerVolumes(inventory, managers, installation, allowed.containers);
  const attachments = { networks: containerNetworks, volumes };
  const containerMonitor = new ContainerMonitor(inventory, installation);
  const units = new Units({
    host,
    networks,
    inventory,
    claim,
    clusters,
    removal,
    nodeVolumes,
    containerNetworks,
    volumes,
  });
  return {
    cluster: clusters,
    node: new SwarmNodes(inventory, networks, maker, membership, removal),
    containers: new NodeContainers(host, inventory, managers, installation, allowed.containers, attachments),
    networks: containerNetworks,
    volumes,
    machines: new DockerMachines(host, engines, cleaner, machineNodes),
    monitor: new HostMonitor(host, inventory),
    api: swarmApi(managers),
    containerUsage: ctx => containerMonitor.usage(ctx),
    list: (ctx, filter) => units.list(ctx, filter?.clusterId),
    identity: async ctx => (await host.info(ctx)).ID || undefined,
    remove: (ctx, unit) => units.remove(ctx, unit),
    close: async () => undefined, // every request uses a connection of its own
  };
}
