import { planContainerSet, unsettledSet, type ContainerSetState } from '@stave/domain';
import type { PlannedResource } from '@stave/service-kit';
import type { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { memberViewOf, zoneOfMember } from './member-surroundings.js';

/** Predicts what the reconciler does to the members of a set after a change. */
export const containerSetPlan = (
  projection: SchedulerProjection,
): Pick<PlannedResource<ContainerSetState>, 'parts' | 'size' | 'unsettled'> => ({
  parts: ({ before, after }) =>
    planContainerSet(
      { before, after },
      {
        members: id => memberViewOf(projection, id),
        zoneOf: id => zoneOfMember(projection, id),
        // states are as of their last change, and plans the same whenever they are made
        now: after.updatedAt,
        paused: projection.clusters.get(after.declared.clusterId)?.paused ?? false,
      },
    ),
  size: ({ after: { members, spec } }) => Math.max(members.size, spec.desired),
  unsettled: ({ before, after }) => unsettledSet({ before, after }),
});
