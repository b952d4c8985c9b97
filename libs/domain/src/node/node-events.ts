import type { TaskKindOf } from '@stave/driver-sdk';
import type { EventOf } from '../kernel/decider.js';
import type { OperationEnded, OperationStart } from '../kernel/operation.js';
import type { NodeGroupSpec } from '../node-group/node-group-spec.js';
import type { NodeRolloutKind } from '../node-group/node-group-state.js';
import type { TaskEvent } from '../task/task-state.js';

export interface NodeDeclaration {
  readonly id: string;
  readonly nodeGroupId: string;
  readonly clusterId: string;
  readonly projectId: string;
  readonly name: string;
  readonly groupName: string;
  readonly ordinal: number;
  readonly zone?: string;
  readonly region?: string;
  readonly spec: Pick<
    NodeGroupSpec,
    'role' | 'flavor' | 'image' | 'dataVolumeGb' | 'volumes' | 'labels' | 'taints' | 'options'
  >;
  /** Labels that the machine of the node must have; absent: the node is made by its driver alone. */
  readonly machineSelector?: Readonly<Record<string, string>>;
  readonly operationId: string;
  /** The number of the group's specification that the node is built from; 0 is the first. */
  readonly build?: number;
  /** The number of the group's change of labels, taints and options in place that the node has; 0 is the first. */
  readonly metadataGeneration?: number;
}

/** What a driver changes on existing nodes of a group, with the number of the change. */
export interface NodeMetadata extends Pick<NodeGroupSpec, 'labels' | 'taints'> {
  readonly metadataGeneration: number;
  /** The driver options where they differ from those of the node. */
  readonly options?: NodeGroupSpec['options'];
}

export interface NodeEvents {
  /** A node of a node group was declared; a conductor builds it. */
  NodeDeclared: NodeDeclaration;
  /** The node is made of this machine, which was claimed for it before; its zone and region are those of the machine. */
  NodeMachineAssigned: { readonly machineId: string; readonly zone: string | null; readonly region: string | null };
  /** The node is built, reachable and in service. */
  NodeBecameActive: { readonly nodeGroupId: string };
  /** The node takes no new containers. */
  NodeCordoned: { readonly operationId?: string };
  /** The node takes containers again. */
  NodeUncordoned: Record<string, never>;
  /** A drain was requested: the node takes no new containers, and its containers leave. */
  NodeDrainRequested: { readonly operation: OperationStart; readonly deadline?: string };
  /** The drain ended before the node was empty. The node stays cordoned. */
  NodeDrainStopped: { readonly reason: string };
  /** Containers that have to leave the node wait for the budgets of their sets, which `reason` names. */
  NodeEvictionDelayed: { readonly reason: string };
  /** No container is left on the node. */
  NodeDrained: Record<string, never>;
  /**
   * The removal of the node was requested: its containers leave first, then its infrastructure is removed. `drained`: its cluster is
   * being deleted and has no containers, so that none has to leave.
   */
  NodeRemovalRequested: {
    readonly reason: string;
    readonly operationId: string;
    readonly drained?: true;
    /** The seconds that its containers have to stop, where the deletion policy of its group says so. */
    readonly graceSeconds?: number;
  };
  /** Its removal waits until it is released, or `until`; its containers stay, and it takes no new ones. `url`: where that is asked for. */
  NodeReleaseAwaited: {
    readonly nodeGroupId: string;
    readonly until: string;
    readonly onTimeout: 'proceed' | 'abort';
    readonly url?: string;
  };
  /** The host of the hook took the request for the release, or did not after several attempts. */
  NodeReleaseRequested: { readonly url: string; readonly delivered: boolean; readonly attempts: number };
  /** Its removal does not wait any more; it is kept unless its removal follows. */
  NodeReleaseEnded: Record<string, never>;
  /**
   * A rebuild of the node was requested: its containers leave, then its infrastructure is built again with the same id
   * and ordinal.
   */
  NodeRebuildRequested: { readonly operation: OperationStart };
  /** A rollout of the node group reached the node: it is rebuilt once its containers have left, or rebooted. */
  NodeRolloutRequested: { readonly rolloutId: string; readonly kind: NodeRolloutKind; readonly operationId: string };
  /** The health policy of its group has the node rebooted, or rebuilt once its containers have left. */
  NodeRepairRequested: {
    readonly do: 'reboot' | 'rebuild';
    readonly reason: string;
    readonly operationId: string;
  };
  /** Labels, taints or options of the node group changed in place; the infrastructure of the node has to follow. */
  NodeUpdateRequested: NodeMetadata & { readonly operationId: string };
  /** A reboot of the node was requested. */
  NodeRebootRequested: { readonly operation: OperationStart; readonly type: 'soft' | 'hard' };
  /**
   * The node was deleted. Nothing of it is left on the infrastructure; with `abandoned`, its removal failed and
   * something may be left.
   */
  NodeDeleted: {
    readonly nodeGroupId: string;
    readonly abandoned?: { readonly reason: string; readonly infrastructureId?: string };
  };
  /** The infrastructure of the node is missing or does not run although it should. */
  NodeBecameUnreachable: {
    readonly reason: string;
    /** The infrastructure has nothing of the node any more, data included. */ readonly missing?: true;
  };
  /**
   * The infrastructure of the node is missing together with that of many others, or its engine was replaced by another: nothing is built
   * again before the node is seen again or the loss is accepted. `acceptances`: how many losses of the cluster were accepted before.
   */
  NodeLossSuspected: { readonly reason: string; readonly acceptances: number };
  /**
   * Work of the node whose retries were exhausted is retried: requested by a user (`operation`) or by the node group
   * (`operationId`).
   */
  NodeTaskRetried: { readonly operation?: OperationStart; readonly operationId?: string };
}

export type NodeEvent = EventOf<NodeEvents> | OperationEnded | TaskEvent<TaskKindOf<'node'>>;
