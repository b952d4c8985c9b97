import type { MachineEngine, MachineProbe, TaskKindOf } from '@stave/driver-sdk';
import type { EventOf } from '../kernel/decider.js';
import type { OperationEnded, OperationStart } from '../kernel/operation.js';
import type { Labels } from '../placement/model.js';
import type { TaskEvent } from '../task/task-state.js';

/** What of a machine its operator may change; null: none. */
export interface MachineAttributes {
  readonly labels: Labels;
  readonly zone: string | null;
  readonly region: string | null;
  readonly conductorGroup: string;
}

export interface MachineDeclaration extends MachineAttributes {
  readonly id: string;
  readonly name: string;
  readonly engine: MachineEngine;
  /** The driver that examines the engine. */
  readonly driver: string;
  readonly driverVersion: string;
  readonly operation: OperationStart;
}

/** The node that a machine is used for, and the driver that makes it. */
export interface MachineClaim {
  readonly nodeId: string;
  readonly nodeGroupId: string;
  readonly clusterId: string;
  readonly driver: string;
  readonly driverVersion: string;
}

interface MachineEvents {
  /** An operator asked to register a machine; its engine is examined before. */
  MachineRegistrationRequested: MachineDeclaration;
  /** The machine can be claimed. With it: what its engine reported. */
  MachineRegistered: MachineProbe;
  /** Labels, zone, region or conductor group of the machine changed. */
  MachineUpdated: MachineAttributes;
  /** The machine belongs to a node. Nothing on its engine was touched before. */
  MachineClaimed: MachineClaim;
  /**
   * The machine is to be cleaned: after the end of its node, by request (`operation`), or to see whether its engine can be reached again
   * (`isRecheck`).
   */
  MachineCleaningRequested: { readonly operation?: OperationStart; readonly isRecheck?: true };
  /** The machine is as it was before its node, or was never touched: it can be claimed again. */
  MachineReleased: Readonly<Record<string, never>>;
  /** The machine is not as it was before its node. It is not claimed before it was cleaned by request. */
  MachineQuarantined: { readonly reason: string };
  /** The engine of the machine does not answer. The machine is not claimed before it was cleaned. */
  MachineBecameUnreachable: { readonly reason: string };
  /** An operator takes the machine out of service; a node on it moves to another machine first. */
  MachineDrainRequested: { readonly operation: OperationStart };
  /** The machine is out of service: nothing of Stave is on it. */
  MachineMaintenanceStarted: Readonly<Record<string, never>>;
  /** The machine is back in service. */
  MachineResumed: Readonly<Record<string, never>>;
  /** The machine is not known any more; with a reason it was never registered. */
  MachineDeleted: { readonly reason?: string };
}

export type MachineEvent = EventOf<MachineEvents> | OperationEnded | TaskEvent<TaskKindOf<'machine'>>;
