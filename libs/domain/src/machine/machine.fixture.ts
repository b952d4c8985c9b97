import { foldAll } from '../kernel/given.fixture.js';
import type { TaskOutcome } from '../task/decide-task.js';
import { doneOf } from '../task/task-outcomes.fixture.js';
import {
  claimMachine,
  cleanMachine,
  createMachine,
  machineStream,
  registerMachine,
  reportMachineTask,
  type MachineDeclaration,
  type MachineEvent,
  type MachineState,
  type MachineTaskKind,
} from './index.js';

export type Result = ReturnType<typeof createMachine>;

export const operation = (id: string, kind = 'machine.drain') => ({ id, kind, total: 1 });
export const declared = (more: Partial<MachineDeclaration> = {}): MachineDeclaration => ({
  id: 'm',
  name: 'rack-1',
  engine: { url: 'fake://rack-1' },
  labels: { rack: '1' },
  zone: 'a',
  region: null,
  conductorGroup: '',
  driver: 'fake',
  driverVersion: '1.0.0',
  operation: operation('op0', 'machine.register'),
  ...more,
});
export const eventsOf = (decision: Result): readonly MachineEvent[] => {
  if (!decision.ok) throw new Error(decision.refusal.code);
  return decision.events;
};
export const summary = (decision: Result): readonly string[] | string =>
  decision.ok ? decision.events.map(({ type }) => type) : decision.refusal.code;
export const after = (state: MachineState, decision: Result): MachineState =>
  eventsOf(decision).reduce((s, e) => machineStream.evolve(s, e, 't'), state);
export const created = (more: Partial<MachineDeclaration> = {}): MachineState =>
  foldAll(machineStream, eventsOf(createMachine(declared(more))));

export function report(state: MachineState, outcome: TaskOutcome<MachineTaskKind>, retryAt?: string): Result {
  const { taskId, kind, generation } = state.work.wanted!;
  const holder = { conductor: 'c', session: 's' };
  const data = { taskId, kind, generation, attempt: 1, epoch: 1, ...holder };
  const claimed = machineStream.evolve(state, { type: 'TaskClaimed', data }, 't');
  return reportMachineTask({ taskId, attempt: 1, ...holder, outcome, ...(retryAt && { retryAt }) }, claimed);
}
export const failure = (code?: string, kind: 'transient' | 'permanent' = 'transient') =>
  ({ type: 'failed', failure: kind, message: 'no answer', ...(code && { code }) }) as const;
export const probed = (state: MachineState): MachineState => after(state, report(state, doneOf('machine.probe')));
export const registered = (more: Partial<MachineDeclaration> = {}): MachineState => {
  const known = probed(created(more));
  return after(known, registerMachine(known));
};
export const claim = { nodeId: 'n1', nodeGroupId: 'g', clusterId: 'k', driver: 'fake', driverVersion: '1.0.0' };
export const claimed = (): MachineState => after(registered(), claimMachine(registered(), claim));
export const cleaning = (state = claimed()): MachineState => after(state, cleanMachine(state, 'n1'));
export const contents = { containers: [], volumes: [], networks: [], state: {} };
export const dirty = { type: 'done', kind: 'machine.clean', result: { ...contents, volumes: ['left'] } } as const;
