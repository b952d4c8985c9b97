import type { ContainerStats, ContainerUsage, DriverContext } from '@stave/driver-sdk';
import { label, labelled, pollUntil, undefinedOnFailure } from '@stave/docker';
import { containerNamespace } from './container-objects.js';
import { ContainerStore } from './container-store.js';
import type { ControlPlanes } from './control-planes.js';
import type { Inventory, NodeContainer } from './inventory.js';
import type { KubernetesApi } from '@stave/kubernetes';

const megabyte = 2 ** 20;
const timeoutMs = 8_000;
/** A kubelet measures a container some seconds after its start. */
const measuredWithinMs = 60_000;

interface PodSummary {
  readonly podRef: { readonly name: string; readonly namespace: string };
  readonly containers: readonly {
    readonly cpu?: { readonly time: string; readonly usageNanoCores?: number };
    readonly memory?: { readonly workingSetBytes?: number };
  }[];
}

interface Measured extends ContainerStats {
  readonly name: string;
}

/** Reads the utilisation of containers from the kubelets of their nodes. */
export class ContainerUsageReader {
  constructor(
    private readonly inventory: Inventory,
    private readonly controlPlanes: ControlPlanes,
    private readonly installation: string,
  ) {}

  async of(ctx: DriverContext, node: NodeContainer, name: string): Promise<ContainerStats> {
    const { api } = await this.controlPlanes.require(ctx, node.clusterId);
    const options = { what: 'first measurement of the container', withinMs: measuredWithinMs, everyMs: 500 };
    return pollUntil(ctx, options, async () => {
      const found = (await measuredOn(ctx, api, node)).find(one => one.name === name);
      return found && { cpuCores: found.cpuCores, memoryMb: found.memoryMb, at: found.at };
    });
  }

  /** Returns one sample for each running container that is measured. Clusters and nodes that do not answer are left out. */
  async usage(ctx: DriverContext): Promise<readonly ContainerUsage[]> {
    const nodes = (await this.inventory.nodes(ctx, {})).filter(({ state }) => state === 'running');
    const clusters = [...new Set(nodes.map(({ clusterId }) => clusterId))];
    const found = await Promise.all(
      clusters.map(id =>
        undefinedOnFailure(ctx, () =>
          this.inCluster(
            ctx,
            id,
            nodes.filter(({ clusterId }) => clusterId === id),
          ),
        ),
      ),
    );
    return found.flatMap(usages => usages ?? []);
  }

  private async inCluster(ctx: DriverContext, id: string, nodes: readonly NodeContainer[]): Promise<ContainerUsage[]> {
    const controlPlane = await this.controlPlanes.find(ctx, id);
    if (!controlPlane) return [];
    const { api } = controlPlane;
    const records = await new ContainerStore(api).records(ctx, labelled({ installation: this.installation }));
    if (records.length === 0) return [];
    const ids = new Map(records.map(({ metadata }) => [metadata.name, metadata.labels[label.container]]));
    const used = await Promise.all(
      nodes.map(async node => {
        const measured = (await undefinedOnFailure(ctx, () => measuredOn(ctx, api, node))) ?? [];
        return measured.flatMap(({ name, cpuCores, memoryMb }) => {
          const containerId = ids.get(name);
          return containerId === undefined ? [] : [{ containerId, nodeId: node.nodeId, cpuCores, memoryMb }];
        });
      }),
    );
    return used.flat();
  }
}

/** Those that the kubelet has measured: the pod as a whole has zeros for some seconds after the first measurement. */
async function measuredOn(ctx: DriverContext, api: KubernetesApi, node: NodeContainer): Promise<readonly Measured[]> {
  const path = `/api/v1/nodes/${node.member}/proxy/stats/summary`;
  const { pods } = await api.read<{ readonly pods: readonly PodSummary[] }>(ctx, path, { timeoutMs });
  return pods.flatMap(({ podRef, containers: [container] }) => {
    if (podRef.namespace !== containerNamespace || !container) return [];
    const { cpu: { time: at = '', usageNanoCores = undefined } = {}, memory: { workingSetBytes = 0 } = {} } = container;
    if (usageNanoCores === undefined || workingSetBytes === 0) return [];
    const memoryMb = workingSetBytes / megabyte;
    return [{ name: podRef.name, cpuCores: usageNanoCores / 1e9, memoryMb, at }];
  });
}
