import { AT } from '../kernel/given.fixture.js';
import type { AttachedPolicy } from './effective-policies.js';
import type { PolicyState } from './policy.js';
import type { PolicyProperties, PolicyTargetType, PolicyType } from './policy-types.js';

interface Policy {
  readonly id: string;
  readonly type?: PolicyType;
  readonly properties: PolicyProperties;
  readonly target?: PolicyTargetType;
  readonly priority?: number;
  readonly enabled?: boolean;
  readonly attachedAt?: string;
  readonly deleted?: boolean;
}

export const aPolicy = (id: string, type: PolicyType, properties: PolicyProperties, deleted = false): PolicyState => ({
  created: { id, name: `name-of-${id}`, projectId: 'p', type, version: '1.0' },
  properties,
  deleted,
  revision: 1,
  createdAt: AT,
  updatedAt: AT,
});

export function attached({
  id,
  type = 'placement',
  properties,
  target = 'cluster',
  priority = 100,
  enabled = true,
  attachedAt = AT,
  deleted = false,
}: Policy): AttachedPolicy {
  const attachment = { policyId: id, policyType: type, enabled, priority, revision: 1, attachedAt, updatedAt: AT };
  return {
    policyId: id,
    policy: aPolicy(id, type, properties, deleted),
    target: { type: target, id: target },
    attachment,
  };
}
