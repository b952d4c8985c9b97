import { describeAccess } from './access.suite.js';
import { describeBadInput } from './bad-input.suite.js';
import { describeChanges } from './changes.suite.js';
import { describeClusterActions } from './cluster-actions.suite.js';
import { describeClusters } from './clusters.suite.js';
import { describeConductorGroups } from './conductor-groups.suite.js';
import { describeContainerContents } from './container-contents.suite.js';
import { describeContainerSets } from './container-sets.suite.js';
import { describeContainers } from './containers.suite.js';
import { describeCreation } from './creation.suite.js';
import { describeDeletionHooks } from './deletion-hooks.suite.js';
import { describeNodeHooks } from './node-hooks.suite.js';
import { describeReopenedNodes } from './reopened-nodes.suite.js';
import { describeDriverOperations } from './driver-operations.suite.js';
import { describeEventSchemas } from './event-schemas.suite.js';
import { describeEvents } from './events.suite.js';
import { describeExplain } from './explain.suite.js';
import { describeScalingExplanations } from './explained-scaling.suite.js';
import { describeFailures } from './failures.suite.js';
import { describeForeignResources } from './foreign-resources.suite.js';
import { describeGroupPolicies } from './group-policies.suite.js';
import { describeHealthPolicies } from './health-policies.suite.js';
import { describeHistory } from './history.suite.js';
import { describeOperationSteps } from './operation-steps.suite.js';
import { describeOwnRules } from './own-rules.suite.js';
import { describePast } from './past.suite.js';
import { describeLists } from './lists.suite.js';
import { describeMachines } from './machines.suite.js';
import { describeNetworks } from './networks.suite.js';
import { describeNodeGroups } from './node-groups.suite.js';
import { describeNodes } from './nodes.suite.js';
import { describePlacementEffects } from './placement-effects.suite.js';
import { describePlans } from './plan.suite.js';
import { describePolicies } from './policies.suite.js';
import { describeAutoscalingQuotas } from './quotas-of-autoscaling.suite.js';
import { describeContentQuotas } from './quotas-of-contents.suite.js';
import { describeQuotas } from './quotas.suite.js';
import { describeReadModels } from './read-models.suite.js';
import { describeRoles } from './roles.suite.js';
import { describeRolling } from './rolling.suite.js';
import { describeSetAutoscaling } from './set-autoscaling.suite.js';
import { describeTemplateViews } from './template-views.suite.js';
import { describeTemplates } from './templates.suite.js';
import { describeVolumeRollouts } from './volume-rollouts.suite.js';
import { describeVolumes } from './volumes.suite.js';
import { describeScaledGroups } from './scaled-groups.suite.js';
import type { Stack, StackOf } from './stack.js';

type Part = (stack: StackOf) => void;

const requests: readonly Part[] = [
  describeClusters,
  describeCreation,
  describeNodeGroups,
  describeContainers,
  describeContainerContents,
  describeNetworks,
  describeVolumes,
  describeVolumeRollouts,
  describePolicies,
  describeExplain,
  describeOwnRules,
  describeAccess,
  describeQuotas,
  describeContentQuotas,
  describeRoles,
  describeForeignResources,
  describeOperationSteps,
  describeEvents,
  describeHistory,
  describePast,
  describeLists,
  describeBadInput,
  describeChanges,
  describeReadModels,
  describeTemplates,
  describeTemplateViews,
  describePlans,
];

const infrastructure: readonly Part[] = [
  describeContainerSets,
  describeHealthPolicies,
  describeSetAutoscaling,
  describeGroupPolicies,
  describeDeletionHooks,
  describeNodeHooks,
  describeReopenedNodes,
  describeDriverOperations,
  describeClusterActions,
  describeNodes,
  describeMachines,
  describeRolling,
  describeConductorGroups,
  describeFailures,
  describeScaledGroups,
  describeScalingExplanations,
  describePlacementEffects,
  describeAutoscalingQuotas,
];

/** Runs every suite against one stack, which is started before and closed after them. */
export function describeProduct(start: () => Promise<Stack>): void {
  describeOnOneStack(start, [...requests, ...infrastructure]);
}

/** As `describeProduct`, only the suites of requests and their answers. */
export function describeRequests(start: () => Promise<Stack>): void {
  describeOnOneStack(start, requests);
}

/** As `describeProduct`, only the suites that wait for work on the infrastructure: actions, rolling changes, losses. */
export function describeInfrastructure(start: () => Promise<Stack>): void {
  describeOnOneStack(start, infrastructure);
}

function describeOnOneStack(start: () => Promise<Stack>, parts: readonly Part[]): void {
  let running: Stack | undefined;
  const stack: StackOf = () => {
    if (!running) throw new Error('the stack did not start');
    return running;
  };
  beforeAll(async () => void (running = await start()));
  afterAll(() => running?.close());
  for (const part of [...parts, describeEventSchemas]) part(stack);
}
