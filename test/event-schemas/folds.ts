import {
  evolveApiKey,
  evolveCluster,
  evolveClusterGroups,
  evolveClusterPlacement,
  evolveClusterTemplate,
  evolveContainer,
  evolveContainerProfile,
  evolveNode,
  evolveNodeGroup,
  evolveNodeGroupTemplate,
  evolveProject,
  evolveRing,
  initialApiKey,
  initialCluster,
  initialClusterGroups,
  initialClusterPlacement,
  initialClusterTemplate,
  initialContainer,
  initialContainerProfile,
  initialNode,
  initialNodeGroup,
  initialNodeGroupTemplate,
  initialProject,
  initialRing,
  type DomainEvent,
} from '@stave/domain';

/** Folds these events, one after the other, as the owner of the stream does. */
export type FoldAll = (events: readonly DomainEvent[]) => unknown;

const TIME = '2026-01-01T00:00:00.000Z';

function foldOf<S>(initial: () => S, evolve: (state: S, event: never, time: string) => S): FoldAll {
  return events => events.reduce((state, event) => evolve(state, event as never, TIME), initial());
}

/** By category. Streams that are read without a fold: names, requests, the installation, orphans. */
export const folds: ReadonlyMap<string, FoldAll> = new Map<string, FoldAll>([
  ['cluster', foldOf(() => initialCluster, evolveCluster)],
  ['clusterTemplate', foldOf(() => initialClusterTemplate, evolveClusterTemplate)],
  ['nodeGroupTemplate', foldOf(() => initialNodeGroupTemplate, evolveNodeGroupTemplate)],
  ['nodeGroup', foldOf(() => initialNodeGroup, evolveNodeGroup)],
  ['node', foldOf(() => initialNode, evolveNode)],
  ['clusterGroups', foldOf(() => initialClusterGroups, evolveClusterGroups)],
  ['container', foldOf(() => initialContainer, evolveContainer)],
  ['containerProfile', foldOf(() => initialContainerProfile, evolveContainerProfile)],
  ['placement', foldOf(initialClusterPlacement, evolveClusterPlacement)],
  ['project', foldOf(() => initialProject, evolveProject)],
  ['apiKey', foldOf(() => initialApiKey, evolveApiKey)],
  [
    'conductorRing',
    foldOf(
      () => initialRing,
      (state, event) => evolveRing(state, event, state.epoch + 1),
    ),
  ],
]);

export const unfolded: ReadonlySet<string> = new Set(['name', 'idempotency', 'installation', 'orphan']);
