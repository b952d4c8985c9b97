import { Inject, Injectable } from '@nestjs/common';
import { RefusedError } from '@stave/contracts';
import { currentBuild, type NodeGroupState, type NodeView } from '@stave/domain';
import type { Logger, Messaging } from '@stave/platform';
import { callConductor, LOGGER, MESSAGING, RingFollower } from '@stave/service-kit';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

type Capacity = NodeView['capacity'];

const CALL_TIMEOUT_MS = 5_000;
const AGAIN_MS = 2_000;

/** What a conductor was asked for a group. */
interface Question {
  readonly flavor: NodeGroupState['spec']['flavor'];
  readonly options: NodeGroupState['spec']['options'];
  answer?: Capacity;
  /** Milliseconds before which the conductor is not asked again. */
  until: number;
}

const isAbout = ({ flavor, options }: Question, { spec }: NodeGroupState): boolean =>
  flavor === spec.flavor && options === spec.options;

/** What nodes of a group would lend: as the last one that was built, else as the driver computes it from the flavor. */
@Injectable()
export class ExpectedCapacities {
  /** By cluster and group: only of groups that are there, each for its present flavor. */
  private readonly questions = new Map<string, ReadonlyMap<string, Question>>();

  constructor(
    private readonly projection: SchedulerProjection,
    @Inject(RingFollower) private readonly ring: Pick<RingFollower, 'view'>,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /**
   * Returns the capacities by the ids of the groups, which are all of the cluster. One that is not known yet is absent: the conductor is asked
   * then where the group is scaled automatically.
   */
  in(clusterId: string, groups: readonly NodeGroupState[]): ReadonlyMap<string, Capacity> {
    const before = this.questions.get(clusterId);
    const kept = new Map<string, Question>();
    const capacities = new Map<string, Capacity>();
    for (const group of groups) {
      const { id } = group.declared;
      const question = this.questionOf(clusterId, group, before?.get(id));
      if (question) kept.set(id, question);
      const capacity = this.lastBuilt(group) ?? question?.answer;
      if (capacity) capacities.set(id, capacity);
    }
    if (kept.size > 0) this.questions.set(clusterId, kept);
    else this.questions.delete(clusterId);
    return capacities;
  }

  /** Forgets what conductors answered for the groups of a cluster. */
  forget(clusterId: string): void {
    this.questions.delete(clusterId);
  }

  /** Returns the clusters that answers are kept for, with the number of their groups. */
  kept(): ReadonlyMap<string, number> {
    return new Map([...this.questions].map(([clusterId, { size }]) => [clusterId, size]));
  }

  /** Returns the question that was asked for the group as it is now; asks it where nothing else says the capacity. */
  private questionOf(clusterId: string, group: NodeGroupState, before: Question | undefined): Question | undefined {
    const { flavor, options, autoscaling } = group.spec;
    const asked = before && isAbout(before, group) ? before : undefined;
    const isNeeded = autoscaling?.enabled === true && !asked?.answer && !this.lastBuilt(group);
    if (!isNeeded || Date.now() < (asked?.until ?? 0)) return asked;
    const question = asked ?? { flavor, options, until: 0 };
    question.until = Date.now() + CALL_TIMEOUT_MS;
    void this.ask(clusterId, group, question);
    return question;
  }

  private lastBuilt(group: NodeGroupState): Capacity | undefined {
    const build = currentBuild(group);
    for (const member of [...group.members.values()].reverse()) {
      const capacity = member.build === build ? this.projection.nodes.get(member.id)?.result?.capacity : undefined;
      if (capacity) return capacity;
    }
    return undefined;
  }

  /** Never rejects: nobody waits for it, and a question that failed is asked again. */
  private async ask(clusterId: string, group: NodeGroupState, question: Question): Promise<void> {
    try {
      const answer = await this.call(clusterId, group);
      if (answer) question.answer = answer;
    } catch (err) {
      const { id, name } = group.declared;
      this.log.warn(
        { err, nodeGroup: id, name },
        'the capacity of new nodes of the group is not known; it is asked again',
      );
    }
    question.until = Date.now() + AGAIN_MS;
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
