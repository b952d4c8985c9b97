import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { currentBuild, type NodeGroupState, type NodeView } from '@stave/domain';
import type { Messaging } from '@stave/platform';
import { callConductor, MESSAGING, RingFollower } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

type Capacity = NodeView['capacity'];

const CALL_TIMEOUT_MS = 5_000;
const AGAIN_MS = 2_000;

interface Asked {
  readonly capacity?: Capacity;
  /** Milliseconds before which the conductor is not asked again. */
  readonly until: number;
}

/** What nodes of a group would lend: as the last one that was built, else as the driver computes it from the flavor. */
@Injectable()
export class ExpectedCapacities {
  private readonly asked = new Map<string, Asked>();

  constructor(
    private readonly projection: SchedulerProjection,
    private readonly ring: RingFollower,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  /** Returns the capacity; undefined while it is not known: the conductor is asked then. */
  of(clusterId: string, group: NodeGroupState): Capacity | undefined {
    const built = this.lastBuilt(group);
    if (built) return built;
    const key = JSON.stringify([group.declared.id, group.spec.flavor, group.spec.options]);
    const known = this.asked.get(key);
    if (known?.capacity) return known.capacity;
    if (group.spec.autoscaling?.enabled && Date.now() >= (known?.until ?? 0)) {
      this.asked.set(key, { until: Date.now() + CALL_TIMEOUT_MS });
      void this.ask(clusterId, group, key);
    }
    return undefined;
  }

  private lastBuilt(group: NodeGroupState): Capacity | undefined {
    const build = currentBuild(group);
    for (const member of [...group.members.values()].reverse()) {
      const capacity = member.build === build ? this.projection.nodes.get(member.id)?.result?.capacity : undefined;
      if (capacity) return capacity;
    }
    return undefined;
  }

  private async ask(clusterId: string, group: NodeGroupState, key: string): Promise<void> {
    const capacity = await this.call(clusterId, group);
    this.asked.set(key, { until: Date.now() + AGAIN_MS, ...(capacity && { capacity }) });
  }

  /** Resolves to undefined where nobody can say now. A driver that does not compute it builds nodes as large as their flavor. */
  private async call(clusterId: string, { declared, spec }: NodeGroupState): Promise<Capacity | undefined> {
    const cluster = this.projection.clusters.get(clusterId)?.spec;
    if (!cluster) return undefined;
    const { driver, driverVersion: version, conductorGroup } = cluster;
    const options = { ...cluster.options, ...spec.options };
    try {
      const capacity = await callConductor(this.ring, this.messaging, {
        resourceId: declared.id,
        description: 'this node group',
        routing: { group: spec.conductorGroup ?? conductorGroup, driver, version },
        call: { kind: 'node.expectedCapacity', spec: { id: declared.id, generation: 0, flavor: spec.flavor, options } },
        timeoutMs: CALL_TIMEOUT_MS,
      });
      return capacity as Capacity;
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      const { cpus, memoryMb } = spec.flavor;
      return error.error.kind === 'unsupported' ? { cpus, memoryMb } : undefined;
    }
  }
}
