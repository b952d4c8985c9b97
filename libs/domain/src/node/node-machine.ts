import { accept, type Decision } from '../kernel/decider.js';
import { omitUndefined } from '../kernel/json.js';
import { endOf } from '../kernel/operation.js';
import { resetBackoff } from '../task/task-state.js';
import type { NodeEvent, NodeEvents } from './node-events.js';
import type { NodeState } from './node-state.js';

/** Whether the node is to be made of a machine and has none yet. */
export const lacksMachine = ({ declared, machineId }: NodeState): boolean =>
  declared.machineSelector !== undefined && machineId === undefined;

const noMachine = 'no-machine';

/** Whether the node waits for a machine: it is to be built, and continues with one, also when it has failed for want of one. */
export const awaitsMachine = (state: NodeState): boolean =>
  lacksMachine(state) && !state.deleted && !state.removing && isBuild(state);

const isBuild = ({ work: { wanted, claim } }: NodeState): boolean =>
  !claim &&
  (wanted?.kind === 'node.create' || wanted?.kind === 'node.rebuild') &&
  (!wanted.retriesExhausted || wanted.lastError?.code === noMachine);

/** Makes the node of a machine that was claimed for it. A node that has one, or is removed, takes none. */
export function assignMachine(
  state: NodeState,
  data: { readonly machineId: string; readonly zone: string | null; readonly region: string | null },
): Decision<NodeEvent> {
  return lacksMachine(state) && !state.deleted && !state.removing
    ? accept({ type: 'NodeMachineAssigned', data })
    : accept();
}

/** Records that no machine is available. `retryAt`: when the next look is taken; absent: the node has failed for want of one. */
export function lackMachine(
  state: NodeState,
  { reason, retryAt }: { readonly reason: string; readonly retryAt?: string | undefined },
): Decision<NodeEvent> {
  const { wanted } = state.work;
  if (!awaitsMachine(state) || !wanted || wanted.retriesExhausted) return accept();
  const { taskId, kind, attempt } = wanted;
  const failure = { failure: 'capacity', code: noMachine, message: reason } as const;
  const error = { code: failure.code, detail: reason };
  return accept<NodeEvent>(
    { type: 'TaskFailed', data: { taskId, kind, attempt: attempt + 1, ...failure, ...omitUndefined({ retryAt }) } },
    ...(retryAt === undefined ? endOf(state.operation, 'FAILED', error) : []),
  );
}

/** Attempts that failed for want of a machine are forgotten: the build begins. */
export function withMachine(
  state: NodeState,
  { machineId, zone, region }: NodeEvents['NodeMachineAssigned'],
): NodeState {
  const { statusReason: _waited, ...rest } = state;
  const { zone: _zone, region: _region, ...declared } = state.declared;
  const place = omitUndefined({ zone: zone ?? undefined, region: region ?? undefined });
  const building = state.wasActive ? 'UPDATING' : 'CREATING';
  const status = state.status === 'FAILED' ? building : state.status;
  return { ...rest, status, machineId, declared: { ...declared, ...place }, work: resetBackoff(state.work) };
}
