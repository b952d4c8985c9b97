import type { Models } from './models.js';
import { DRIVER, type Resource } from './sim-task.js';

/** Whose work a resource is by what this replica knows (the `place` of the services' task sources). */
export class Places {
  constructor(private readonly models: Models) {}

  ownerOf(resource: Resource): string | undefined {
    const { ring } = this.models;
    const group = this.groupOf(resource);
    return group === undefined ? undefined : ring.ownerOf(ring.keyFor(group, DRIVER.name), DRIVER.version, resource.id);
  }

  /** Nodes are built once their cluster is. */
  private groupOf({ type, id }: Resource): string | undefined {
    const { clusters, groups, nodes } = this.models;
    if (type === 'cluster') return clusters.get(id)?.spec?.conductorGroup;
    const node = nodes.get(id);
    const cluster = clusters.get(node?.declared?.clusterId ?? '');
    if (!cluster?.spec || !(cluster.built || node?.removing)) return undefined;
    return groups.get(node?.declared?.nodeGroupId ?? '')?.spec?.conductorGroup ?? cluster.spec.conductorGroup;
  }
}
