import type { PolicyState } from '@stave/domain';
import { defineResource, NAME_KEY, PolicyProjection } from '@stave/service-kit';
import { policyFields } from './policy.document.js';
import { PolicyOutlook } from './policy-outlook.js';
import { PolicyLookup } from './policy.lookup.js';

export const policyResource = defineResource({
  name: 'policy',
  description: 'the policy',
  projection: PolicyProjection,
  model: ({ policies }) => policies,
  scope: ({ created }: PolicyState) => ({ projectId: created.projectId }),
  fields: policyFields,
  readModel: { name: 'policies', indexedSorts: [NAME_KEY], indexedFilters: [] },
  inject: [PolicyLookup, PolicyOutlook],
  connect: (_projection, lookup: PolicyLookup, outlook: PolicyOutlook) => ({
    find: (meta, ref) => lookup.policy(meta, ref),
    plan: { outlook: ({ before, after }) => before && outlook.ofPolicy(after.created.id, after) },
  }),
});
