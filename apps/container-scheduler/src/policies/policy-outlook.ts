import { Injectable } from '@nestjs/common';
import {
  effectivePolicies,
  getOrCreate,
  hasOwnRules,
  placementRulesOf,
  requestOf,
  standingViolations,
  withOwnRules,
  type AttachedPolicy,
  type ContainerState,
  type PolicyBindings,
  type PolicyState,
  type PolicyTarget,
  type ViolationCode,
} from '@stave/domain';
import { PolicyProjection, type Outlook } from '@stave/service-kit';
import { ClusterSnapshots } from '../placement/cluster-snapshots.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';

type Violation = NonNullable<Outlook['violations']>[number];

/** Returns the policies that would be attached to these targets. */
type AttachedAfter = (...targetIds: readonly string[]) => readonly AttachedPolicy[];

/** A violation names at most so many containers. */
const MOST_NAMED = 5;

const sentences: Readonly<Record<ViolationCode, string>> = {
  NOT_IN_PLACEMENT: 'These containers run in places that the policies would not allow.',
  AFFINITY: 'These containers do not run with those that they must be together with.',
  ANTI_AFFINITY: 'These containers run with others that they must be apart from.',
  UTILISATION_TOO_HIGH: 'These containers run on nodes that use more than the policies would allow.',
  UTILISATION_UNKNOWN: 'These containers run on nodes whose use is not known, but would be limited.',
  SPREAD_EXCEEDED: 'These containers run where there are too many next to the least filled unit.',
};

/** Says what a change of policies would find broken by what runs. Nobody is moved for it. */
@Injectable()
export class PolicyOutlook {
  constructor(
    private readonly projection: SchedulerProjection,
    private readonly policies: PolicyProjection,
    private readonly snapshots: ClusterSnapshots,
  ) {}

  /** Of a change of the attachments of one target. */
  ofBindings({ target, attachments }: PolicyBindings): Outlook | undefined {
    if (!target) return undefined;
    const own = [...attachments.values()].flatMap((attachment): readonly AttachedPolicy[] => {
      const policy = this.policies.policies.get(attachment.policyId);
      return policy ? [{ policyId: attachment.policyId, policy, target, attachment }] : [];
    });
    const after: AttachedAfter = (...ids) => ids.flatMap(id => (id === target.id ? own : this.policies.attachedTo(id)));
    return this.outlook([target], after);
  }

  /** Of a change of a policy, on all that it is attached to. */
  ofPolicy(policyId: string, policy: PolicyState): Outlook | undefined {
    const targets = this.policies.targetsOf(policyId).flatMap(id => this.policies.bindings.get(id)?.target ?? []);
    const after: AttachedAfter = (...ids) =>
      this.policies.attachedTo(...ids).map(each => (each.policyId === policyId ? { ...each, policy } : each));
    return this.outlook(targets, after);
  }

  private outlook(targets: readonly PolicyTarget[], after: AttachedAfter): Outlook {
    const containers = new Set(targets.flatMap(target => this.containersOf(target)));
    return { targets, violations: this.violations([...containers], after) };
  }

  private containersOf({ type, id }: PolicyTarget): readonly string[] {
    if (type === 'cluster') return this.projection.containersByCluster.in(id);
    return type === 'containerSet' ? [...(this.projection.sets.get(id)?.members.keys() ?? [])] : [];
  }

  private violations(ids: readonly string[], after: AttachedAfter): readonly Violation[] {
    const asked = new Map<string, ReturnType<typeof standingViolations>>();
    const found = new Map<ViolationCode, string[]>();
    for (const id of [...ids].sort()) {
      const container = this.projection.containers.get(id);
      if (container?.nodeId === undefined || container.deleting || container.evictionReason !== undefined) continue;
      // containers of one kind are asked about together
      const { contents, declared } = container;
      const own = hasOwnRules(contents) ? [contents.spread, contents.affinity] : [];
      const kind = JSON.stringify([declared.clusterId, declared.setId, contents.labels, own]);
      const brokenOn = getOrCreate(asked, kind, () => this.askedOf(container, after));
      for (const code of brokenOn(container.nodeId)) getOrCreate(found, code, () => []).push(id);
    }
    return [...found].map(([code, all]) => ({
      code,
      count: all.length,
      sentence: sentences[code],
      containers: all.slice(0, MOST_NAMED),
    }));
  }

  private askedOf({ declared, contents }: ContainerState, after: AttachedAfter) {
    const { clusterId, setId } = declared;
    const rules = placementRulesOf(effectivePolicies(after(...(setId === undefined ? [] : [setId]), clusterId)));
    const request = { ...requestOf({ declared, contents }), ...(setId !== undefined && { setId }) };
    const { table } = this.snapshots.of(clusterId);
    return standingViolations({ ...request, labels: contents.labels, ...withOwnRules(rules, contents) }, table);
  }
}
