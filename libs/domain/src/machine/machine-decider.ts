import {
  accept,
  acceptUnless,
  brokenRules,
  conflict,
  existenceRefusal,
  operationEndedRefusal,
  refuse,
  type Decision,
  type Refusal,
} from '../kernel/decider.js';
import { labelProblems, mergeLabels } from '../kernel/merge-labels.js';
import { endOf, operationEnded, type Conditional, type OperationCommand } from '../kernel/operation.js';
import type { MachineClaim, MachineDeclaration, MachineEvent } from './machine-events.js';
import type { MachineState } from './machine-state.js';

export { refuseMachine, registerMachine } from './report-machine-task.js';

type Result = Decision<MachineEvent>;

const what = 'the machine';

/** Asks for the registration of a machine, whose engine a conductor examines first. */
export const createMachine = (data: MachineDeclaration): Result =>
  accept({ type: 'MachineRegistrationRequested', data });

export interface MachineChanges {
  readonly labels?: Readonly<Record<string, string | null>> | null;
  readonly zone?: string | null;
  readonly region?: string | null;
  readonly conductorGroup?: string | null;
}

const claimedRefusal = conflict('machine-claimed', 'the machine belongs to a node, or is being cleaned after one');
const busyRefusal = conflict('busy', 'the engine of the machine is being examined');

/** Whether the machine belongs to a node, or is being cleaned after one. */
export const isInUse = ({ claim, status }: MachineState): boolean => claim !== undefined || status === 'CLEANING';

const known = (state: MachineState, ifMatch?: number): Refusal | undefined =>
  existenceRefusal(what, state, ifMatch) ?? (state.registered ? undefined : busyRefusal);

/** Changes what an operator says of a machine. The conductor group of one that belongs to a node stays. */
export function updateMachine(state: MachineState, changes: MachineChanges, ifMatch?: number): Result {
  const refusal = known(state, ifMatch);
  if (refusal) return refuse(refusal);
  const { labels, zone = state.zone, region = state.region } = changes;
  const next = {
    labels: labels === undefined ? state.labels : mergeLabels(state.labels, labels),
    zone,
    region,
    conductorGroup: changes.conductorGroup === undefined ? state.conductorGroup : (changes.conductorGroup ?? ''),
  };
  const problems = labelProblems(next.labels);
  if (problems.length > 0) return refuse(brokenRules(problems));
  if (next.conductorGroup !== state.conductorGroup && isInUse(state)) return refuse(claimedRefusal);
  const { labels: before, conductorGroup } = state;
  const now = { labels: before, zone: state.zone, region: state.region, conductorGroup };
  return JSON.stringify(next) === JSON.stringify(now) ? accept() : accept({ type: 'MachineUpdated', data: next });
}

/** Claims an available machine for a node, before anything on its engine is touched. A repeat for the same node changes nothing. */
export function claimMachine(state: MachineState, claim: MachineClaim): Result {
  if (state.claim?.nodeId === claim.nodeId && !state.deleted) return accept();
  const isFree = !state.deleted && state.status === 'AVAILABLE' && !state.draining;
  const taken = conflict('machine-not-available', `the machine is ${state.status}`);
  return acceptUnless(isFree ? undefined : taken, { type: 'MachineClaimed', data: claim });
}

/** Gives back a machine that was claimed for a node which does not use it and never will. */
export const releaseMachine = (state: MachineState, nodeId: string): Result =>
  isClaimedFor(state, nodeId) ? accept(...returned(state)) : accept();

/** Cleans a machine whose node has ended. */
export const cleanMachine = (state: MachineState, nodeId: string): Result =>
  isClaimedFor(state, nodeId) ? accept({ type: 'MachineCleaningRequested', data: {} }) : accept();

const isClaimedFor = ({ claim, status, deleted }: MachineState, nodeId: string): boolean =>
  claim?.nodeId === nodeId && status === 'CLAIMED' && !deleted;

const returned = ({ draining, operations }: MachineState): readonly MachineEvent[] => [
  { type: 'MachineReleased', data: {} },
  ...(draining ? [{ type: 'MachineMaintenanceStarted' as const, data: {} }] : []),
  ...(draining ? operations.map(({ id }) => operationEnded(id, 'SUCCEEDED')) : []),
];

/** Takes the machine out of service, at once or when its node has moved to another. */
export function drainMachine(state: MachineState, { operation, ifMatch }: OperationCommand): Result {
  const { status, draining } = state;
  const refusal =
    known(state, ifMatch) ?? (draining ? conflict('draining', 'the machine is drained already') : undefined);
  if (refusal) return refuse(refusal);
  if (status === 'QUARANTINED')
    return refuse(conflict('machine-quarantined', 'the machine is out of service until it was cleaned'));
  const requested: MachineEvent = { type: 'MachineDrainRequested', data: { operation } };
  if (isInUse(state)) return accept(requested);
  const started: MachineEvent = { type: 'MachineMaintenanceStarted', data: {} };
  return accept<MachineEvent>(requested, started, ...endOf(operation, 'SUCCEEDED'));
}

/** Puts the machine back in service, and stops a drain that is under way. */
export function resumeMachine(state: MachineState, { ifMatch }: Conditional): Result {
  const refusal = known(state, ifMatch);
  if (refusal) return refuse(refusal);
  if (!state.draining) return refuse(conflict('not-in-maintenance', 'the machine is not in maintenance'));
  const drains = state.operations.filter(({ kind }) => kind === 'machine.drain');
  const cancelled = drains.map(({ id }) => operationEnded(id, 'CANCELLED'));
  return accept<MachineEvent>({ type: 'MachineResumed', data: {} }, ...cancelled);
}

/** Cancels a drain whose node has not moved yet; nothing else can be cancelled. */
export function cancelMachineOperation(state: MachineState, operationId: string): Result {
  const operation = state.operations.find(({ id }) => id === operationId);
  if (!operation) return refuse(operationEndedRefusal());
  if (operation.kind !== 'machine.drain')
    return refuse(conflict('not-cancellable', `a ${operation.kind} cannot be cancelled`));
  return resumeMachine(state, {});
}

/** Cleans a machine that was not clean, or whose engine did not answer, once more. */
export function cleanByRequest(state: MachineState, { operation, ifMatch }: OperationCommand): Result {
  const isOpen = state.status === 'QUARANTINED' || (state.status === 'UNREACHABLE' && !state.claim);
  const refusal =
    known(state, ifMatch) ??
    (isOpen ? undefined : conflict('not-quarantined', `the machine is ${state.status}, not in quarantine`));
  return acceptUnless(refusal, { type: 'MachineCleaningRequested', data: { operation } });
}

/** Whether nobody works on the machine, whose engine did not answer. */
export const awaitsRecheck = ({ registered, deleted, status, work }: MachineState): boolean =>
  registered && !deleted && status === 'UNREACHABLE' && !work.claim && work.wanted?.retriesExhausted === true;

/** Looks whether an engine that did not answer does so again. */
export const recheckMachine = (state: MachineState): Result =>
  awaitsRecheck(state) ? accept({ type: 'MachineCleaningRequested', data: { isRecheck: true } }) : accept();

/** Forgets a machine. Nothing of Stave is on it, except what its quarantine names. */
export function deleteMachine(state: MachineState, { ifMatch }: Conditional): Result {
  const refusal = known(state, ifMatch) ?? (isInUse(state) ? claimedRefusal : undefined);
  const open = state.operations.map(({ id }) => operationEnded(id, 'CANCELLED'));
  return acceptUnless<MachineEvent>(refusal, { type: 'MachineDeleted', data: {} }, ...open);
}
