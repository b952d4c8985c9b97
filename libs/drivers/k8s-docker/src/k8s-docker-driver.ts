import { ClusterNetworks, DockerEngine } from '@stave/docker';
import { DriverError, type Driver, type DriverModule } from '@stave/driver-sdk';
import { operationsOf } from './api.js';
import { KubernetesClusters } from './cluster-lifecycle.js';
import { KubernetesContainers } from './container-lifecycle.js';
import { ContainerUnits } from './container-units.js';
import { ContainerUsageReader } from './container-usage.js';
import { ControlPlaneClaim } from './control-plane-claim.js';
import { ControlPlanes } from './control-planes.js';
import { Inventory } from './inventory.js';
import { NodeImages } from './node-images.js';
import { NodeLauncher } from './node-launcher.js';
import { KubernetesNodes } from './node-lifecycle.js';
import { NodeMembership } from './node-membership.js';
import { NodeRemoval } from './node-removal.js';
import { HostMonitor } from './node-usage.js';
import { nodeImagesOf, readSettings, type K8sDockerSettings } from './settings.js';
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
  const { installation, nodeImage, tenantAdmin } = settings;
  const inventory = new Inventory(host, installation);
  const networks = new ClusterNetworks(host, installation);
  const controlPlanes = new ControlPlanes(host, inventory);
  const claim = new ControlPlaneClaim(host, inventory, installation);
  const images = new NodeImages(host, nodeImage, allowedImages);
  const launcher = new NodeLauncher(host, inventory, controlPlanes, installation);
  const membership = new NodeMembership(inventory, controlPlanes, claim);
  const removal = new NodeRemoval(host, controlPlanes, launcher, installation);
  const clusters = new KubernetesClusters(networks, inventory, claim, controlPlanes, removal, tenantAdmin);
  const containers = new ContainerUnits(controlPlanes, installation);
  const units = new Units({ host, networks, inventory, claim, clusters, removal, containers });
  const containerUsage = new ContainerUsageReader(inventory, controlPlanes, installation);
  return {
    cluster: clusters,
    node: new KubernetesNodes({ inventory, networks, images, launcher, membership, controlPlanes, removal }),
    containers: new KubernetesContainers(inventory, controlPlanes, installation, containerUsage),
    monitor: new HostMonitor(host, inventory, controlPlanes),
    containerUsage: ctx => containerUsage.usage(ctx),
    api: operationsOf(controlPlanes, tenantAdmin),
    list: (ctx, filter) => units.list(ctx, filter?.clusterId),
    identity: async ctx => (await host.info(ctx)).ID || undefined,
    remove: (ctx, unit) => units.remove(ctx, unit),
    close: async () => undefined, // every request uses a connection of its own
  };
}
