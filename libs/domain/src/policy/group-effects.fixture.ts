import { Simulation } from '../node-group/group-simulation.fixture.js';
import { effectivePolicies } from './effective-policies.js';
import { attached } from './policies.fixture.js';
import type { PolicyProperties, PolicyType } from './policy-types.js';
import { groupPoliciesOf } from './set-policies.js';

export const SECOND = 1000;
export const policiesOf = (
  type: PolicyType,
  properties: PolicyProperties,
  target: 'nodeGroup' | 'cluster' = 'nodeGroup',
) => groupPoliciesOf(effectivePolicies([attached({ id: 'x', type, target, properties })]));

/** Returns a complete group with this policy. */
export function running(
  type: PolicyType,
  properties: PolicyProperties,
  count = 4,
  zones: readonly string[] = [],
): Simulation {
  const group = new Simulation(count, zones);
  group.settle();
  group.allWell();
  group.policies = policiesOf(type, properties);
  return group;
}

export const ordinalsOf = (group: Simulation): readonly number[] =>
  [...group.state.members.values()].filter(m => !m.leaving).map(m => m.ordinal);

/** Returns the ordinals that stay when the group is scaled in to this count. */
export function left(group: Simulation, count: number): readonly number[] {
  const operation = { id: 'in', kind: 'node-group.resize', total: 1 };
  group.append({ type: 'NodeGroupResized', data: { count, operation } });
  group.settle();
  return ordinalsOf(group);
}

/** Lets this time pass. */
export function wait(group: Simulation, seconds: number): void {
  group.nowMs += seconds * SECOND;
  group.settle();
}
