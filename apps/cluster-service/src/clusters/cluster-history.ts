import type { ClusterState } from '@stave/domain';
import {
  HistoryFeed,
  historyController,
  type HistoryContext,
  type ServiceRuntime,
  type StreamRef,
} from '@stave/service-kit';
import type { EventStore } from '@stave/platform';
import type { Type } from '@nestjs/common';
import type { ClusterCommands } from './cluster.commands.js';
import { clusterDocument } from './cluster.document.js';
import { ClusterModels } from './cluster-models.js';

/** Clusters as this service knew them: their own events, and those of their groups and nodes, which it counts. */
export function clusterHistoryContext(store: EventStore): HistoryContext<ClusterState> {
  const models = new ClusterModels(store);
  const feed = new HistoryFeed();
  models.follow({ feed }, () => undefined);
  return {
    feed,
    own: models.clusters,
    // nodes are counted by their events, from the first one on
    snapshots: [models.clusters, models.registry, models.groups],
    document: id => clusterDocument(models, id),
    around: id => around(models, id),
  };
}

function* around(models: ClusterModels, id: string): Iterable<StreamRef> {
  yield ['clusterGroups', id];
  for (const groupId of models.registry.get(id)?.groups.keys() ?? []) {
    yield ['nodeGroup', groupId];
    for (const nodeId of models.groups.get(groupId)?.members.keys() ?? []) yield ['node', nodeId];
  }
}

/** Past states of clusters. */
export const clusterHistory = (
  runtime: ServiceRuntime,
  { clusters }: ClusterModels,
  commands: ClusterCommands,
): Type<object> =>
  historyController('cluster-service', 'cluster', runtime, {
    readModel: 'clusters',
    what: 'the cluster',
    model: clusters,
    home: ({ created }) => created && { projectId: created.projectId },
    world: () => clusterHistoryContext(runtime.events),
    find: (meta, ref) => commands.find(meta, ref),
  });
