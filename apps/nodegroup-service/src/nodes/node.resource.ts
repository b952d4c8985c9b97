import type { ResourceDocument } from '@stave/contracts';
import { planNode, type NodeState } from '@stave/domain';
import { defineResource, DocumentDecorator, LABEL_PAIRS, NAME_KEY } from '@stave/service-kit';
import { FleetLookup } from '../fleet/fleet.lookup.js';
import { FleetProjection } from '../fleet/fleet.projection.js';
import { NodeUsages } from './node-usage.js';
import { NodeCommands } from './node.commands.js';
import { nodeDocument, nodeFields, nodePosition } from './node.document.js';
import { NodeWorkload } from './node.workload.js';

export const nodeResource = defineResource({
  name: 'node',
  description: 'the node',
  projection: FleetProjection,
  model: ({ nodes }) => nodes,
  scope: ({ declared }: NodeState) => declared,
  fields: state => (state.declared && !state.deleted ? nodeFields(state) : undefined),
  readModel: {
    name: 'nodes',
    version: 2,
    sorts: [NAME_KEY, 'updatedAt', 'status'],
    filters: ['clusterId', 'nodeGroupId', 'status', 'zone', LABEL_PAIRS],
    document: nodeDocument,
    position: nodePosition,
  },
  history: {
    snapshots: ({ clusters, groups, nodes }) => [clusters, groups, nodes],
    related: (past, id) => past.relatedToNode(id),
    telemetry: { utilisation: 'unknown' },
  },
  inject: [FleetLookup, NodeCommands, NodeUsages, NodeWorkload],
  connect: (
    _projection,
    lookup: FleetLookup,
    commands: NodeCommands,
    usages: NodeUsages,
    { tasks, health, reconcile }: NodeWorkload,
  ) => ({
    find: (meta, ref) => lookup.node(meta, ref),
    references: {
      clusterId: (meta, ref) => lookup.cluster(meta, ref),
      nodeGroupId: (meta, ref, clusterRef) => lookup.group(meta, ref, clusterRef),
    },
    decorate: withUtilisation(usages),
    plan: { steps: planNode },
    tasks,
    health,
    reconcile,
    cancel: (meta, operation) => commands.cancel(meta, operation),
  }),
});

/** Adds the last sample to documents, and the recent history where one node is read. */
function withUtilisation(usages: NodeUsages): (document: ResourceDocument, reader: 'get' | 'list') => ResourceDocument {
  const inLists = new DocumentDecorator<number | undefined>(({ id }) => ({ utilisation: usages.now(id) }));
  return (document, reader) =>
    reader === 'get'
      ? { ...document, utilisation: usages.of(document.id) }
      : inLists.of(document, usages.lastTime(document.id));
}
