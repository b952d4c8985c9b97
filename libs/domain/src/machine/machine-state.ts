import type { Machine, MachineContents, MachineProbe, TaskKindOf } from '@stave/driver-sdk';
import { endOperation } from '../kernel/operation.js';
import { defineResourceStream } from '../kernel/stream-definition.js';
import type { Labels } from '../placement/model.js';
import { noWork, taskHandlers, withNextTask, type Work } from '../task/task-state.js';
import type { MachineClaim, MachineDeclaration, MachineEvent } from './machine-events.js';

export type MachineTaskKind = TaskKindOf<'machine'>;
export type MachineStatus = 'AVAILABLE' | 'CLAIMED' | 'CLEANING' | 'QUARANTINED' | 'MAINTENANCE' | 'UNREACHABLE';

export interface MachineState {
  readonly declared: MachineDeclaration;
  readonly labels: Labels;
  readonly zone: string | null;
  readonly region: string | null;
  readonly conductorGroup: string;
  /** `UNREACHABLE` also before it is registered: its engine has not answered yet. */
  readonly status: MachineStatus;
  readonly statusReason?: string;
  readonly registered: boolean;
  /** What the engine reported; before the registration, too. */
  readonly probe?: MachineProbe;
  readonly claim?: MachineClaim;
  /** The driver that cleans what the last node left. */
  readonly cleanedBy?: Pick<MachineClaim, 'driver' | 'driverVersion'>;
  /** An operator wants the machine out of service. */
  readonly draining: boolean;
  readonly deleted: boolean;
  readonly generation: number;
  readonly revision: number;
  readonly work: Work<MachineTaskKind>;
  readonly operations: readonly { readonly id: string; readonly kind: string }[];
  readonly createdAt: string;
  readonly updatedAt: string;
}

const withTask = (state: MachineState, kind: MachineTaskKind, operationId: string): MachineState =>
  withNextTask(state, state.declared.id, kind, operationId);

function withStatus(state: MachineState, status: MachineStatus, statusReason?: string): MachineState {
  const { statusReason: _before, ...rest } = state;
  return { ...rest, status, ...(statusReason !== undefined && { statusReason }) };
}

/** The machine without its node and without work. */
function unclaimed(state: MachineState): MachineState {
  const { claim: _ended, ...rest } = state;
  return { ...rest, work: {} };
}

const available = (state: MachineState): MachineState => withStatus(unclaimed(state), 'AVAILABLE');

function newMachine(declared: MachineDeclaration, time: string): MachineState {
  const { labels, zone, region, conductorGroup, operation } = declared;
  const machine: MachineState = {
    declared,
    ...{ labels, zone, region, conductorGroup },
    status: 'UNREACHABLE',
    statusReason: 'its engine is being examined',
    registered: false,
    draining: false,
    deleted: false,
    generation: 0,
    revision: 1,
    work: noWork,
    operations: [{ id: operation.id, kind: operation.kind }],
    createdAt: time,
    updatedAt: time,
  };
  return withTask(machine, 'machine.probe', operation.id);
}

/** Returns the machine as drivers get it: after its registration with the identity of its engine. */
export const machineForDriver = ({ declared: { id, engine }, registered, probe }: MachineState): Machine => ({
  id,
  engine,
  ...(registered && probe && { engineId: probe.engineId }),
});

/** What is there when nothing of Stave is; undefined before the engine was examined. */
export const contentsBefore = ({ probe }: MachineState): MachineContents | undefined => probe?.contents;

export const machineStream = defineResourceStream<MachineState, MachineEvent, 'MachineRegistrationRequested'>(
  'machine',
  { MachineRegistrationRequested: newMachine },
  {
    MachineRegistered: (s, { data }) => ({ ...available(s), registered: true, probe: data }),
    MachineUpdated: (s, { data }) => ({ ...s, ...data, revision: s.revision + 1 }),
    MachineClaimed: (s, { data }) => {
      const { driver, driverVersion } = data;
      return { ...withStatus(s, 'CLAIMED'), claim: data, cleanedBy: { driver, driverVersion } };
    },
    MachineCleaningRequested: (s, { data: { operation, isRecheck = false } }) => {
      const operations = operation ? [...s.operations, { id: operation.id, kind: operation.kind }] : s.operations;
      const next = { ...s, operations, ...(operation && { revision: s.revision + 1 }) };
      const shown = isRecheck ? withStatus(next, s.status, s.statusReason) : withStatus(next, 'CLEANING');
      return withTask(shown, 'machine.clean', operation?.id ?? '');
    },
    MachineReleased: available,
    MachineQuarantined: (s, { data }) => withStatus(unclaimed(s), 'QUARANTINED', data.reason),
    MachineBecameUnreachable: (s, { data }) => {
      const { claim: _ended, ...rest } = withStatus(s, 'UNREACHABLE', data.reason);
      return rest;
    },
    MachineDrainRequested: (s, { data: { operation } }) => ({
      ...s,
      draining: true,
      revision: s.revision + 1,
      operations: [...s.operations, { id: operation.id, kind: operation.kind }],
    }),
    MachineMaintenanceStarted: s => withStatus(unclaimed(s), 'MAINTENANCE'),
    MachineResumed: s => {
      const resumed = { ...s, draining: false, revision: s.revision + 1 };
      return s.status === 'MAINTENANCE' ? withStatus(resumed, 'AVAILABLE') : resumed;
    },
    MachineDeleted: s => ({ ...unclaimed(s), deleted: true }),
    OperationEnded: endOperation,
    ...taskHandlers<MachineState, MachineTaskKind>({
      failed: (s, { message }) => ({ ...s, statusReason: message }),
      completed: (s, task) => (task.kind === 'machine.probe' ? { ...s, probe: task.result } : s),
    }),
  },
);
