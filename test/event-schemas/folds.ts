import {
  apiKeyStream,
  clusterGroupsStream,
  clusterStream,
  clusterTemplateStream,
  conductorRingStream,
  containerProfileStream,
  containerSetStream,
  containerStream,
  machineStream,
  networkStream,
  nodeGroupStream,
  nodeGroupTemplateStream,
  nodeStream,
  placementStream,
  policyBindingsStream,
  policyStream,
  projectStream,
  quotaStream,
  volumeStream,
  type DomainEvent,
  type StreamDefinition,
} from '@stave/domain';

/** Folds the events of a stream in order and returns the state. */
export type FoldAll = (events: readonly DomainEvent[]) => unknown;

const TIME = '2026-01-01T00:00:00.000Z';

const foldOf = <S>(stream: StreamDefinition<S>): [string, FoldAll] => [
  stream.category,
  events => events.reduce((state, event) => stream.evolve(state, event, TIME), stream.initial),
];

/** The folds of all streams that have one, by category; `unfolded` lists the other categories. */
export const folds: ReadonlyMap<string, FoldAll> = new Map<string, FoldAll>([
  foldOf(clusterStream),
  foldOf(clusterTemplateStream),
  foldOf(nodeGroupTemplateStream),
  foldOf(nodeGroupStream),
  foldOf(nodeStream),
  foldOf(clusterGroupsStream),
  foldOf(containerStream),
  foldOf(containerProfileStream),
  foldOf(containerSetStream),
  foldOf(machineStream),
  foldOf(networkStream),
  foldOf(volumeStream),
  foldOf(placementStream),
  foldOf(policyStream),
  foldOf(policyBindingsStream),
  foldOf(projectStream),
  foldOf(apiKeyStream),
  foldOf(quotaStream),
  foldOf(conductorRingStream),
]);

export const unfolded: ReadonlySet<string> = new Set(['name', 'idempotency', 'installation', 'orphan', 'audit']);
