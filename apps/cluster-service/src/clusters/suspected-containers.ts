import { getOrCreate, lossSuspicionAfter, type ContainerLossSuspected } from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';

/** The containers of each cluster that are missing and whose loss is suspected. An event that is applied twice counts once. */
export class SuspectedContainers {
  private readonly byCluster = new Map<string, Set<string>>();
  private readonly clusterOf = new Map<string, string>();
  readonly folded = { byCluster: this.byCluster, clusterOf: this.clusterOf };

  /** Takes an event of a container. Returns its cluster when that has its first such container, or has none any more. */
  take(event: RecordedEvent): string | undefined {
    const isSuspected = lossSuspicionAfter(event);
    if (isSuspected === undefined) return undefined;
    if (!isSuspected) return this.remove(idOf(event));
    return this.add(idOf(event), (event.data as ContainerLossSuspected['data']).clusterId);
  }

  has(clusterId: string): boolean {
    return this.byCluster.has(clusterId);
  }

  includes(containerId: string): boolean {
    return this.clusterOf.has(containerId);
  }

  private add(id: string, clusterId: string): string | undefined {
    const isFirst = !this.byCluster.has(clusterId);
    getOrCreate(this.byCluster, clusterId, () => new Set()).add(id);
    this.clusterOf.set(id, clusterId);
    return isFirst ? clusterId : undefined;
  }

  private remove(id: string): string | undefined {
    const clusterId = this.clusterOf.get(id);
    if (clusterId === undefined) return undefined;
    const suspects = this.byCluster.get(clusterId);
    this.clusterOf.delete(id);
    suspects?.delete(id);
    if (suspects?.size !== 0) return undefined;
    this.byCluster.delete(clusterId);
    return clusterId;
  }
}
