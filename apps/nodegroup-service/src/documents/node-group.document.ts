import type { StoredDocument } from '@stave/platform';
import type { NodeGroupState } from '@stave/domain';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** What clients see of a node group that its own events say. */
export function nodeGroupFields(state: NodeGroupState): Record<string, unknown> {
  const { declared, spec } = state;
  if (!declared || !spec) return {};
  return {
    id: declared.id,
    name: declared.name,
    clusterId: declared.clusterId,
    projectId: declared.projectId,
    ...spec,
    status: state.status,
    ...(state.statusReason === undefined ? {} : { statusReason: state.statusReason }),
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}

export function nodeGroupDocument(
  models: NodeGroupModels,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = models.groups.entry(id);
  if (!entry?.state.declared) return undefined;
  const { state } = entry;
  const position = Math.max(entry.position, models.touchedAt(id));
  if (state.deleted) return { _id: id, deleted: true, position };
  return {
    _id: id,
    deleted: false,
    position,
    ...nodeGroupFields(state),
    nodesReady: models.readyIn(id),
    nodesTotal: state.members.size,
  };
}
