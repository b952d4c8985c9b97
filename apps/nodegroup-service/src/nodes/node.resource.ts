import type { ResourceDocument } from '@stave/contracts';
import { cancelNodeOperation, planNode, statusUntilReleased, type NodeState } from '@stave/domain';
import {
  defineResource,
  DocumentDecorator,
  LABEL_PAIRS,
  NAME_KEY,
  ProjectIdentities,
  RingFollower,
} from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeUsages } from './node-usage.js';
import { nodeDocument, nodeFields } from './node.document.js';
import { NodeReconciler } from './node.reconciler.js';
import { classifyNode, groupsOfNode, nodeHealth, nodeTasks } from './node.tasks.js';

const CONCURRENCY = 64;

export const nodeResource = defineResource({
  name: 'node',
  description: 'the node',
  projection: FleetProjection,
  model: ({ nodes }) => nodes,
  scope: ({ declared }: NodeState) => declared,
  fields: nodeFields,
  status: statusUntilReleased,
  readModel: {
    name: 'nodes',
    version: 3,
    indexedSorts: [NAME_KEY, 'updatedAt', 'status'],
    indexedFilters: ['clusterId', 'nodeGroupId', 'status', 'zone', LABEL_PAIRS],
    document: nodeDocument,
    position: (projection, id) => projection.nodePosition(id),
  },
  history: {
    snapshots: ({ clusters, groups, nodes }) => [clusters, groups, nodes],
    related: (past, id) => past.relatedToNode(id),
    telemetry: { utilisation: 'unknown' },
  },
  inject: [FleetLookup, NodeReconciler, NodeUsages, RingFollower, ProjectIdentities],
  connect: (
    projection,
    lookup: FleetLookup,
    reconciler: NodeReconciler,
    usages: NodeUsages,
    ...[ring, projects]: [RingFollower, ProjectIdentities]
  ) => {
    const source = nodeTasks(projection, ring, projects);
    return {
      find: (meta, ref) => lookup.node(meta, ref),
      references: {
        clusterId: (meta, ref) => lookup.cluster(meta, ref),
        nodeGroupId: (meta, ref, clusterRef) => lookup.group(meta, ref, clusterRef),
      },
      decorate: withUtilisation(usages),
      plan: { steps: planNode },
      tasks: { source, classify: classifyNode(projection), groupsOf: groupsOfNode(projection) },
      health: nodeHealth(projection, source),
      reconcile: {
        reconcile: id => reconciler.reconcile(id),
        concurrency: CONCURRENCY,
        isUnsettled: (_id, state) => reconciler.isUnsettled(state),
      },
    };
  },
  cancel: cancelNodeOperation,
});

/** Adds the last sample to documents, and the recent history where one node is read. */
function withUtilisation(usages: NodeUsages): (document: ResourceDocument, reader: 'get' | 'list') => ResourceDocument {
  const inLists = new DocumentDecorator<number | undefined>(({ id }) => ({ utilisation: usages.now(id) }));
  return (document, reader) =>
    reader === 'get'
      ? { ...document, utilisation: usages.of(document.id) }
      : inLists.of(document, usages.lastTime(document.id));
}
