import type { ContainerProfileState } from '@stave/domain';
import { defineResource, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { profileFields } from './profile.document.js';

export const profileResource = defineResource({
  name: 'container-profile',
  description: 'the container profile',
  projection: SchedulerProjection,
  model: ({ profiles }) => profiles,
  scope: ({ created }: ContainerProfileState) => ({ projectId: created.projectId }),
  fields: profileFields,
  readModel: { name: 'containerProfiles', version: 2, indexedSorts: [NAME_KEY], indexedFilters: [LABEL_PAIRS] },
  inject: [SchedulerLookup],
  connect: (_projection, lookup: SchedulerLookup) => ({ find: (meta, ref) => lookup.profile(meta, ref) }),
});
