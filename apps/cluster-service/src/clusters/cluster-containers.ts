import type { ContainerCreated, ContainerDeleted } from '@stave/domain';
import type { Folded, ServiceRuntime } from '@stave/service-kit';

interface NamedContainer {
  readonly id: string;
  readonly name: string;
}

/** Which containers are in a cluster, as far as this process has seen. */
export class ClusterContainers {
  private readonly byCluster = new Map<string, Map<string, NamedContainer>>();

  get folded(): Folded['folded'] {
    return { byCluster: this.byCluster };
  }

  follow(runtime: ServiceRuntime): void {
    runtime.folds('containers', this);
    runtime.feed.on('container', ({ type, data, stream }) => {
      if (type === 'ContainerCreated') this.add(data as ContainerCreated['data']);
      if (type !== 'ContainerDeleted') return;
      this.remove((data as ContainerDeleted['data']).clusterId, stream.slice('container-'.length));
    });
  }

  in(clusterId: string): readonly NamedContainer[] {
    return [...(this.byCluster.get(clusterId)?.values() ?? [])];
  }

  private add({ id, name, clusterId }: ContainerCreated['data']): void {
    const containers = this.byCluster.get(clusterId) ?? new Map<string, NamedContainer>();
    this.byCluster.set(clusterId, containers.set(id, { id, name }));
  }

  private remove(clusterId: string, id: string): void {
    const containers = this.byCluster.get(clusterId);
    containers?.delete(id);
    if (containers?.size === 0) this.byCluster.delete(clusterId);
  }
}
