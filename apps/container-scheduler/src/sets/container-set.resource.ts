import { amountsOfSet, cancelSetOperation, type ContainerSetState } from '@stave/domain';
import { defineResource, NAME_KEY } from '@stave/service-kit';
import { Explanations } from '../explain/explanations.js';
import { SchedulerLookup } from '../scheduling/scheduler.lookup.js';
import { SchedulerProjection } from '../scheduling/scheduler.projection.js';
import { containerSetPlan } from './container-set-plan.js';
import { containerSetFields } from './container-set.document.js';
import { nameOf } from './requester.js';
import { ContainerSetReconciler } from './container-set.reconciler.js';

export const containerSetResource = defineResource({
  name: 'container-set',
  description: 'the container set',
  projection: SchedulerProjection,
  model: ({ sets }) => sets,
  scope: ({ declared }: ContainerSetState) => declared,
  fields: containerSetFields,
  quota: amountsOfSet,
  readModel: {
    name: 'containerSets',
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['clusterId', 'profileId', 'status'],
  },
  inject: [SchedulerLookup, ContainerSetReconciler, Explanations],
  connect: (projection, lookup: SchedulerLookup, reconciler: ContainerSetReconciler, explanations: Explanations) => ({
    find: (meta, ref) => lookup.set(meta, ref),
    references: {
      clusterId: (meta, ref) => lookup.cluster(meta, ref),
      profileId: (meta, ref) => lookup.profile(meta, ref),
    },
    plan: {
      ...containerSetPlan(projection),
      outlook: (effect, steps) => explanations.outlookOfSet(effect, steps),
    },
    reconcile: {
      reconcile: id => reconciler.reconcile(id),
      concurrency: 16,
      parts: id => projection.sets.get(id)?.members.size ?? 0,
      isUnsettled: (id, state) => reconciler.isUnsettled(id, state),
    },
  }),
  cancel: (state, operationId, _ids, _projection, meta) => cancelSetOperation(state, operationId, nameOf(meta)),
});
