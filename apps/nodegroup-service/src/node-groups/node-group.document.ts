import type { ResourceDocument } from '@stave/contracts';
import type { StoredDocument } from '@stave/platform';
import {
  countOutdated,
  fullUpdateStrategy,
  nodeBuildBlocker,
  nodeGroupStatusReason,
  type NodeGroupState,
} from '@stave/domain';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** What clients see of a node group that its own events say. */
export function nodeGroupFields(state: NodeGroupState): Record<string, unknown> {
  const { declared, spec } = state;
  if (!declared || !spec) return {};
  const statusReason = nodeGroupStatusReason(state);
  return {
    id: declared.id,
    name: declared.name,
    clusterId: declared.clusterId,
    projectId: declared.projectId,
    ...spec,
    updateStrategy: fullUpdateStrategy(spec.updateStrategy),
    status: state.status,
    ...(statusReason === undefined ? {} : { statusReason }),
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}

/** As commands answer with it. */
export const shownGroup = (state: NodeGroupState): ResourceDocument => nodeGroupFields(state) as ResourceDocument;

/** Position of the last event that shows in the document of a group: its own, its nodes' and its cluster's. */
export function nodeGroupPosition(models: NodeGroupModels, id: string): number {
  const entry = models.groups.entry(id);
  const own = Math.max(entry?.position ?? -1, models.touchedAt(id));
  const { declared, deleted = false } = entry?.state ?? {};
  return declared && !deleted ? Math.max(own, models.touchedAt(declared.clusterId)) : own;
}

/** Nothing of it is given up, but its cluster is. */
function waitsFor(models: NodeGroupModels, { declared, status }: NodeGroupState): Record<string, unknown> {
  const cluster = status === 'CREATING' ? models.clusters.get(declared?.clusterId ?? '') : undefined;
  const statusReason = cluster && nodeBuildBlocker(cluster);
  return statusReason === undefined ? {} : { statusReason };
}

export function nodeGroupDocument(
  models: NodeGroupModels,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = models.groups.entry(id);
  if (!entry?.state.declared) return undefined;
  const { state } = entry;
  const position = nodeGroupPosition(models, id);
  if (state.deleted) return { _id: id, deleted: true, position };
  return {
    _id: id,
    deleted: false,
    position,
    ...nodeGroupFields(state),
    ...waitsFor(models, state),
    nodesReady: models.readyIn(id),
    nodesTotal: state.members.size,
    nodesOutdated: countOutdated(state),
  };
}
