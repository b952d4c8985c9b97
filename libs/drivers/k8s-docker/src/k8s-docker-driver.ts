import {
  ClusterNetworks,
  DockerEngine,
  DockerMachines,
  MachineCleaner,
  MachineEndpoints,
  MachineEngines,
  MachineNodes,
  MachineSecrets,
} from '@stave/docker';
import { DriverError, type Driver, type DriverModule } from '@stave/driver-sdk';
import { operationsOf } from './api.js';
import { KubernetesClusters } from './cluster-lifecycle.js';
import { KubernetesContainers } from './container-lifecycle.js';
import { ContainerUnits } from './container-units.js';
import { ContainerUsageReader } from './container-usage.js';
import { ControlPlaneClaim } from './control-plane-claim.js';
import { ControlPlanes } from './control-planes.js';
import { Inventory } from './inventory.js';
import { ClusterPeers } from './machines/cluster-peers.js';
import { MachineNodeMaker } from './machines/machine-node-maker.js';
import { NodeImages } from './node-images.js';
import { NodeLauncher } from './node-launcher.js';
import { KubernetesNodes } from './node-lifecycle.js';
import { NodeMembership } from './node-membership.js';
import { NodeRemoval } from './node-removal.js';
import { HostMonitor } from './node-usage.js';
import { driverName, nodeImagesOf, readSettings, type K8sDockerSettings } from './settings.js';
import { Units } from './units.js';

const unbound = { signal: new AbortController().signal, checkpoint: () => undefined };

/** The module of the driver. Throws a transient DriverError when no engine answers. */
export const k8sDockerModule: DriverModule = {
  restrictions: env => ({ nodeImages: nodeImagesOf(env) }),
  async open(settings) {
    const own = readSettings(settings);
    const host = new DockerEngine(own.hostSocket);
    try {
      await host.read(unbound, '/_ping', { timeoutMs: 5_000 });
    } catch (cause) {
      const message = `no Docker Engine answers at unix://${own.hostSocket}: start one, or set DOCKER_HOST`;
      throw new DriverError('transient', message, { cause });
    }
    return compose(host, own, nodeImagesOf(settings.env));
  },
};

/** Composes the parts of the driver. The driver keeps no state: every call reads the engine and the control planes. */
function compose(host: DockerEngine, settings: K8sDockerSettings, allowedImages: readonly string[]): Driver {
  const { installation, nodeImage, tenantAdmin, secretsDir, runDir } = settings;
  const engines = new MachineEngines(new MachineEndpoints(new MachineSecrets(secretsDir), runDir));
  const cleaner = new MachineCleaner(engines, installation);
  const machineNodes = new MachineNodes(host, engines, cleaner, installation, driverName);
  const networks = new ClusterNetworks(host, installation, driverName);
  const inventory = new Inventory(host, installation, engines);
  const controlPlanes = new ControlPlanes(inventory);
  const peers = new ClusterPeers(networks, inventory, controlPlanes);
  const claim = new ControlPlaneClaim(host, inventory, installation);
  const images = new NodeImages(host, nodeImage, allowedImages);
  const maker = new MachineNodeMaker(host, inventory, engines, machineNodes, installation);
  const launcher = new NodeLauncher(host, inventory, controlPlanes, maker, peers, installation);
  const membership = new NodeMembership(inventory, controlPlanes, claim);
  const removal = new NodeRemoval(host, controlPlanes, launcher, machineNodes, peers, installation);
  const clusters = new KubernetesClusters(networks, inventory, claim, controlPlanes, removal, tenantAdmin);
  const containers = new ContainerUnits(controlPlanes, installation);
  const units = new Units({ host, networks, inventory, claim, clusters, removal, containers });
  const containerUsage = new ContainerUsageReader(inventory, controlPlanes, installation);
  return {
    cluster: clusters,
    node: new KubernetesNodes({ inventory, networks, images, launcher, membership, controlPlanes, removal, peers }),
    containers: new KubernetesContainers(inventory, controlPlanes, installation, containerUsage),
    machines: new DockerMachines(host, engines, cleaner, machineNodes),
    monitor: new HostMonitor(inventory, controlPlanes, peers),
    containerUsage: ctx => containerUsage.usage(ctx),
    api: operationsOf(controlPlanes, tenantAdmin),
    list: (ctx, filter) => units.list(ctx, filter?.clusterId),
    identity: async ctx => (await host.info(ctx)).ID || undefined,
    remove: (ctx, unit) => units.remove(ctx, unit),
    close: async () => undefined, // every request uses a connection of its own
  };
}
