import { nodeBuildBlocker, type NodeState } from '@stave/domain';
import type { StoredDocument } from '@stave/platform';
import type { NodeGroupModels } from '../nodegroup-models.js';

/** What clients see of a node that its own events say. */
export function nodeFields(state: NodeState): Record<string, unknown> {
  const { declared, result } = state;
  if (!declared) return {};
  const { id, name, nodeGroupId, clusterId, projectId, ordinal, zone, region, spec } = declared;
  return {
    id,
    name,
    nodeGroupId,
    clusterId,
    projectId,
    ordinal,
    ...(zone === undefined ? {} : { zone }),
    ...(region === undefined ? {} : { region }),
    role: spec.role,
    flavor: spec.flavor,
    ...(spec.image === undefined ? {} : { image: spec.image }),
    labels: spec.labels,
    taints: spec.taints,
    addresses: result?.addresses ?? [],
    ...(result ? { infrastructureId: result.infrastructureId, capacity: result.capacity } : {}),
    ...(result?.engineVersion === undefined ? {} : { engineVersion: result.engineVersion }),
    status: state.status,
    ...(state.statusReason === undefined ? {} : { statusReason: state.statusReason }),
    schedulable: state.schedulable && !state.removing,
    attempts: state.attempts,
    generation: state.generation,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    revision: state.revision,
  };
}

/** Position of the last event that shows in the document of a node: its own, and as long as it is there those of its group and cluster. */
export function nodePosition(models: NodeGroupModels, id: string): number {
  const entry = models.nodes.entry(id);
  if (!entry) return -1;
  const { declared, deleted } = entry.state;
  if (!declared || deleted) return entry.position;
  const { nodeGroupId, clusterId } = declared;
  return Math.max(entry.position, models.touchedAt(`attributes-${nodeGroupId}`), models.touchedAt(clusterId));
}

export function nodeDocument(
  models: NodeGroupModels,
  id: string,
): (StoredDocument & { readonly position: number }) | undefined {
  const entry = models.nodes.entry(id);
  const declared = entry?.state.declared;
  if (!entry || !declared) return undefined;
  const position = nodePosition(models, id);
  if (entry.state.deleted) return { _id: id, deleted: true, position };
  const group = models.groups.get(declared.nodeGroupId)?.spec;
  const { labels, taints } = group ?? declared.spec;
  const cluster = models.clusters.get(declared.clusterId);
  const conductorGroup = group?.conductorGroup ?? cluster?.spec?.conductorGroup ?? '';
  const { status, attempts } = entry.state;
  const blocked = cluster && status === 'CREATING' && attempts === 0 ? nodeBuildBlocker(cluster) : undefined;
  const waits = blocked === undefined ? {} : { statusReason: blocked };
  return { _id: id, deleted: false, position, ...nodeFields(entry.state), ...waits, labels, taints, conductorGroup };
}
