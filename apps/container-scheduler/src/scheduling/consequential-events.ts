import { nodeEvictionReason, type ClusterState, type NodeState } from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';

/** Events of a container after which its cluster must be reconciled. */
export const eventsAffectingPlacement: ReadonlySet<string> = new Set([
  'ContainerCreated',
  'ContainerPlaced',
  'ContainerRemovedFromNode',
  'ContainerNodeLost',
  'ContainerUpdated',
  'ContainerDemandsChanged',
  'ContainerDeleted',
]);

/** Whether an event of a cluster may change the options of its containers' tasks, or changes their driver version, as a retry may. */
export const affectsTasks = ({ type }: RecordedEvent, before?: ClusterState, after?: ClusterState): boolean =>
  type === 'ClusterUpdated' || before?.spec.driverVersion !== after?.spec.driverVersion;

/** Events of a cluster that start or stop the work on its sets. */
export const eventsAffectingSets: ReadonlySet<string> = new Set([
  'ClusterPaused',
  'ClusterResumed',
  'ClusterDeletionRequested',
]);

/** Events of a node group after which the autoscaler may decide otherwise, or its containers are placed otherwise. */
export const eventsOfScaling: ReadonlySet<string> = new Set([
  'NodeGroupCreated',
  'NodeGroupUpdated',
  'NodeGroupResized',
  'NodeRemovalAccepted',
  'ScaleProposalRefused',
  'NodeGroupBecameActive',
  'NodeGroupDegraded',
]);

/** What the members of sets on the node have to know of it. */
export const leavingOf = (node: NodeState | undefined): string =>
  node ? `${nodeEvictionReason(node) ?? ''} ${node.lost === true || node.deleted} ${node.status === 'FAILED'}` : '';

/** Whether nodes of a group are removed although that may take containers away. */
export const isForced = ({ data }: RecordedEvent): boolean =>
  (data as { readonly force?: boolean } | undefined)?.force === true;
