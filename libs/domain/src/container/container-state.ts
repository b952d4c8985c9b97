import type { TaskKindOf } from '@stave/driver-sdk';
import type { UnitObservation } from '../health/observation.js';
import { noWork, type Work } from '../task/task-state.js';
import type { ContainerDeclaration, ContainerUnschedulable, PlacementExplanation } from './container-events.js';
import type { ContainerContents } from './container-spec.js';

export type ContainerTaskKind = TaskKindOf<'container'>;
export type ContainerStatus = 'CREATING' | 'ACTIVE' | 'UPDATING' | 'STOPPED' | 'UNSCHEDULABLE' | 'FAILED' | 'DELETING';

/** `deletes`: it is over when nothing of the container is left. */
export interface ContainerOperation {
  readonly id: string;
  readonly kind: string;
  readonly cancelled?: boolean;
  readonly deletes?: boolean;
}

export interface ContainerState {
  readonly declared?: ContainerDeclaration;
  readonly contents?: ContainerContents;
  /** Before the update under way. */
  readonly previousContents?: ContainerContents;
  readonly status: ContainerStatus;
  readonly statusReason?: string;
  /** Where it is or has still something; absent while it waits for a place. */
  readonly nodeId?: string;
  readonly placement?: PlacementExplanation & { readonly nodeId: string; readonly at: string };
  readonly unschedulable?: ContainerUnschedulable['data'];
  readonly desired: 'running' | 'stopped';
  /** Why it leaves its node, while it does. */
  readonly evictionReason?: string;
  /** Nodes that had no room for it after all, how often, and when last. */
  readonly recentlyRejectedBy: Readonly<Record<string, { readonly times: number; readonly since: string }>>;
  readonly nodeLost: boolean;
  readonly deleting: boolean;
  readonly deleted: boolean;
  readonly generation: number;
  /** Of the unit that exists on the infrastructure; 0 for none. */
  readonly builtGeneration: number;
  /** Accepted changes of an operator. */
  readonly revision: number;
  readonly work: Work<ContainerTaskKind>;
  readonly operations: readonly ContainerOperation[];
  readonly address?: string;
  /** Asked for. */
  readonly restarts: number;
  /** How it was found on its node since its last task was done. */
  readonly observed?: UnitObservation;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const initialContainer: ContainerState = {
  status: 'CREATING',
  desired: 'running',
  recentlyRejectedBy: {},
  nodeLost: false,
  deleting: false,
  deleted: false,
  generation: 0,
  builtGeneration: 0,
  revision: 0,
  work: noWork,
  operations: [],
  restarts: 0,
  createdAt: '',
  updatedAt: '',
};

/** It waits for a place. */
export const isPending = (s: ContainerState): boolean =>
  s.declared !== undefined && s.nodeId === undefined && !s.deleting && !s.deleted && !s.nodeLost;
