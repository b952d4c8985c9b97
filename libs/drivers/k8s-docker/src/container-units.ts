import { labelled, undefinedOnFailure } from '@stave/docker';
import type { DriverContext, Unit } from '@stave/driver-sdk';
import { containerUnit } from './container-pod.js';
import { ContainerStore } from './container-store.js';
import type { ControlPlanes } from './control-planes.js';
import type { NodeContainer } from './inventory.js';

/** What is known of the containers of some clusters. */
export interface ListedContainers {
  readonly units: readonly Unit[];
  /** The clusters whose containers were never read and cannot be read now. */
  readonly unknown: ReadonlySet<string>;
}

/**
 * Lists the containers of clusters. Their state is known to the control planes only, so what a cluster said last is repeated while none of its
 * own answers: its nodes run on, and rebuilding them would not help.
 */
export class ContainerUnits {
  private readonly last = new Map<string, readonly Unit[]>();

  constructor(
    private readonly controlPlanes: ControlPlanes,
    private readonly installation: string,
  ) {}

  /** `nodes`: those of the clusters. */
  async list(ctx: DriverContext, nodes: readonly NodeContainer[]): Promise<ListedContainers> {
    const clusters = [...new Set(nodes.filter(({ role }) => role === 'manager').map(({ clusterId }) => clusterId))];
    const found = await Promise.all(clusters.map(async id => ({ id, units: await this.read(ctx, id) })));
    const unknown = new Set<string>();
    const units = found.flatMap(({ id, units: now }) => {
      if (now) this.last.set(id, now);
      const known = this.last.get(id);
      if (!known) unknown.add(id);
      return known ?? [];
    });
    return { units, unknown };
  }

  /** Drops what is known of clusters that do not exist any more. */
  keepOnly(clusters: ReadonlySet<string>): void {
    for (const id of this.last.keys()) if (!clusters.has(id)) this.last.delete(id);
  }

  async remove(ctx: DriverContext, { clusterId, infrastructureId }: Unit): Promise<void> {
    const controlPlane = await this.controlPlanes.require(ctx, clusterId);
    const store = new ContainerStore(controlPlane.api);
    const records = await store.records(ctx, labelled({ installation: this.installation }));
    const record = records.find(({ metadata }) => metadata.uid === infrastructureId);
    if (record) await store.remove(ctx, record.metadata.name, 0);
  }

  private async read(ctx: DriverContext, clusterId: string): Promise<readonly Unit[] | undefined> {
    const controlPlane = await this.controlPlanes.find(ctx, clusterId);
    if (!controlPlane) return undefined;
    const store = new ContainerStore(controlPlane.api);
    const own = labelled({ installation: this.installation });
    return undefinedOnFailure(ctx, async () => {
      // a pod is made after its record and removed before it
      const pods = await store.pods(ctx, own);
      const records = await store.records(ctx, own);
      const byName = new Map(pods.map(pod => [pod.metadata.name, pod]));
      return records.map(record => containerUnit(record, byName.get(record.metadata.name), Date.now()));
    });
  }
}
