import { accept, type Decision } from '../kernel/decider.js';
import { operationEnded, type OperationEnded } from '../kernel/operation.js';
import { reportTask, type ReportCommand, type TaskOutcome } from '../task/decide-task.js';
import type { TaskEvents } from '../task/task-state.js';
import { contentsDifference } from './contents-difference.js';
import type { MachineEvent } from './machine-events.js';
import { contentsBefore, type MachineState, type MachineTaskKind } from './machine-state.js';

type Result = Decision<MachineEvent>;

/** The codes with which the examination of a new engine ends at once: its operator is waiting and may repeat the registration. */
const finalCodes: readonly (string | undefined)[] = ['engine-unreachable', 'engine-unsuitable'];

/** Accepts a report of a conductor, together with the events that follow for the machine and its operations. */
export function reportMachineTask(command: ReportCommand<MachineTaskKind>, state: MachineState): Result {
  const { retryAt: _time, ...last } = command;
  const outcome = compared(state, command.outcome);
  const isOver = outcome.type === 'failed' && !state.registered && finalCodes.includes(outcome.code);
  const report = isOver || outcome !== command.outcome ? { ...last, outcome } : command;
  return reportTask(report, state.work, ({ type, data }): readonly MachineEvent[] => {
    if (type === 'TaskCompleted') return data.kind === 'machine.clean' ? released(state) : [];
    return type === 'TaskFailed' && !data.retryAt ? failed(state, data) : [];
  });
}

/** A cleaning after which the engine is not as it was before has failed, whatever the driver says of it. */
function compared(state: MachineState, outcome: TaskOutcome<MachineTaskKind>): TaskOutcome<MachineTaskKind> {
  if (outcome.type !== 'done' || outcome.kind !== 'machine.clean') return outcome;
  const before = contentsBefore(state);
  const message = before && contentsDifference(before, outcome.result);
  return message === undefined ? outcome : { type: 'failed', failure: 'conflict', code: 'machine-not-clean', message };
}

/** The machine is as it was before its node. */
const released = ({ draining, operations }: MachineState): readonly MachineEvent[] => [
  { type: 'MachineReleased', data: {} },
  ...(draining ? [{ type: 'MachineMaintenanceStarted' as const, data: {} }] : []),
  ...operations.map(({ id }) => operationEnded(id, 'SUCCEEDED')),
];

function failed(state: MachineState, { failure, code, message }: TaskEvents['TaskFailed']): readonly MachineEvent[] {
  if (!state.registered) {
    const word = failure === 'transient' ? 'engine-unreachable' : 'engine-unsuitable';
    return [{ type: 'MachineDeleted', data: { reason: message } }, ...ended(state, code ?? word, message)];
  }
  const type = failure === 'transient' ? 'MachineBecameUnreachable' : 'MachineQuarantined';
  const isKnown = type === 'MachineBecameUnreachable' && state.status === 'UNREACHABLE';
  const change: readonly MachineEvent[] = isKnown ? [] : [{ type, data: { reason: message } }];
  return [...change, ...ended(state, code ?? `driver-${failure}`, message)];
}

const ended = ({ operations }: MachineState, code: string, detail: string): readonly OperationEnded[] =>
  operations.map(({ id }) => operationEnded(id, 'FAILED', { code, detail }));

/** Registers a machine whose engine was examined, and which no other machine has. */
export function registerMachine({ registered, deleted, probe, operations }: MachineState): Result {
  if (registered || deleted || !probe) return accept();
  const succeeded = operations.map(({ id }) => operationEnded(id, 'SUCCEEDED'));
  return accept<MachineEvent>({ type: 'MachineRegistered', data: probe }, ...succeeded);
}

/** Ends the registration of an engine that is registered already, under another URL. */
export function refuseMachine(state: MachineState, reason: string): Result {
  if (state.registered || state.deleted || !state.probe) return accept();
  const deleted: MachineEvent = { type: 'MachineDeleted', data: { reason } };
  return accept<MachineEvent>(deleted, ...ended(state, 'engine-taken', reason));
}
