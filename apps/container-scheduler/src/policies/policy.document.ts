import type { ResourceDocument } from '@stave/contracts';
import type { AttachedPolicy, PolicyState } from '@stave/domain';

/** Returns the fields of a policy. */
export function policyFields({ created, properties, createdAt, updatedAt, revision }: PolicyState): ResourceDocument {
  const { id, name, projectId, type, version } = created;
  return { id, name, projectId, type, version, properties, createdAt, updatedAt, revision };
}

/** Returns the fields of an attachment; its id is that of the policy, and its revision counts the changes of the attachment. */
export function attachmentFields({ policyId, policy, target, attachment }: AttachedPolicy): ResourceDocument {
  const { name, projectId, type } = policy.created;
  const { enabled, priority, revision, attachedAt, updatedAt } = attachment;
  return {
    id: policyId,
    name,
    projectId,
    type,
    targetType: target.type,
    targetId: target.id,
    enabled,
    priority,
    createdAt: attachedAt,
    updatedAt,
    revision,
  };
}
