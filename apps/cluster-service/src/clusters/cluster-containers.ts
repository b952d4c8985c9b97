import { Injectable } from '@nestjs/common';
import type { ContainerCreated, ContainerDeleted } from '@stave/domain';
import { Feed, ServiceSnapshots, type Folded } from '@stave/service-kit';

interface NamedContainer {
  readonly id: string;
  readonly name: string;
}

/** The containers of each cluster, as far as this process has seen; plans name those that a change affects. */
@Injectable()
export class ClusterContainers {
  private readonly byCluster = new Map<string, Map<string, NamedContainer>>();

  get folded(): Folded['folded'] {
    return { byCluster: this.byCluster };
  }

  constructor(feed: Feed, snapshots: ServiceSnapshots) {
    snapshots.add('containers', this);
    feed.on('container', ({ type, data, stream }) => {
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
