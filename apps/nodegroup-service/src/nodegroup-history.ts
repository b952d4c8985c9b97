import type { Type } from '@nestjs/common';
import type { NodeGroupState, NodeState } from '@stave/domain';
import {
  groupOnceNamed,
  HistoryFeed,
  historyController,
  type HistoryContext,
  type ServiceRuntime,
  type StreamRef,
} from '@stave/service-kit';
import type { EventStore } from '@stave/platform';
import type { ResourceLookup } from './resource-lookup.js';
import { nodeDocument } from './nodes/node.document.js';
import { nodeGroupDocument } from './node-groups/node-group.document.js';
import { NodeGroupModels } from './nodegroup-models.js';

const nothing = { cluster: () => undefined, group: () => undefined, node: () => undefined };

interface PastModels {
  readonly models: NodeGroupModels;
  readonly feed: HistoryFeed;
  readonly snapshots: HistoryContext<unknown>['snapshots'];
}

function emptyModels(store: EventStore): PastModels {
  const models = new NodeGroupModels(store);
  const feed = new HistoryFeed();
  models.follow({ feed }, nothing);
  return { models, feed, snapshots: [models.clusters, models.groups, models.nodes] };
}

/** Node groups: their own events, those of the cluster that they wait for, and their nodes, which are counted. */
export function groupHistoryContext(store: EventStore): HistoryContext<NodeGroupState> {
  const { models, ...world } = emptyModels(store);
  function* around(id: string): Iterable<StreamRef> {
    const group = models.groups.get(id);
    if (group?.declared) yield ['cluster', group.declared.clusterId];
    for (const nodeId of group?.members.keys() ?? []) yield ['node', nodeId];
  }
  return { ...world, own: models.groups, document: id => nodeGroupDocument(models, id), around };
}

/** Nodes: their own events, and what shows of their group and cluster. */
export function nodeHistoryContext(store: EventStore): HistoryContext<NodeState> {
  const { models, ...world } = emptyModels(store);
  function* around(id: string): Iterable<StreamRef> {
    const declared = models.nodes.get(id)?.declared;
    if (!declared) return;
    yield ['nodeGroup', declared.nodeGroupId];
    yield ['cluster', declared.clusterId];
  }
  return { ...world, own: models.nodes, document: id => nodeDocument(models, id), around };
}

/** Past states of node groups and nodes. */
export function nodeGroupHistories(
  runtime: ServiceRuntime,
  models: NodeGroupModels,
  find: ResourceLookup,
): Type<object>[] {
  const clusterId = find.cluster.bind(find);
  return [
    historyController('nodegroup-service', 'node-group', runtime, {
      readModel: 'nodeGroups',
      what: 'the node group',
      model: models.groups,
      home: ({ declared }) => declared,
      world: () => groupHistoryContext(runtime.events),
      find: (meta, ref, clusterRef) => find.group(meta, ref, clusterRef),
      findPast: (cluster, name, time) => groupOnceNamed(runtime.events, cluster, name, time),
      references: { clusterId },
    }),
    historyController('nodegroup-service', 'node', runtime, {
      readModel: 'nodes',
      what: 'the node',
      model: models.nodes,
      home: ({ declared }) => declared,
      world: () => nodeHistoryContext(runtime.events),
      find: (meta, ref) => find.node(meta, ref),
      references: { clusterId, nodeGroupId: (meta, ref) => find.group(meta, ref) },
      telemetry: { utilisation: 'unknown' },
    }),
  ];
}
