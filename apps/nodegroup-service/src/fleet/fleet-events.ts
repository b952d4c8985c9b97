/** Events of a cluster that change the documents of its node groups and nodes. */
export const eventsAffectingChildren: ReadonlySet<string> = new Set([
  'ClusterUpdated',
  'ClusterPaused',
  'ClusterRebootRequested',
  'ClusterRebuildRequested',
  'ClusterResumed',
  'ClusterLossAccepted',
  'ClusterUpgradeRequested',
  'ClusterUpgradeReverted',
  'ClusterTaskRetried',
  'ClusterDeletionRequested',
  'TaskFailed',
]);

export const eventsOfExistence: ReadonlySet<string> = new Set(['ClusterCreated', 'ClusterDeleted']);

/** Events of a node after which its group has nothing to decide and to request that it had not before. */
export const eventsWithoutEffectOnGroup: ReadonlySet<string> = new Set([
  'NodeDeclared',
  'TaskClaimed',
  'TaskProgressed',
]);
