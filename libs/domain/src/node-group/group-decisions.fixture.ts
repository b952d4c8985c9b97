import type { Decision } from '../kernel/decider.js';
import type { OperationEnded } from '../kernel/operation.js';
import { Simulation } from './group-simulation.fixture.js';
import type { NodeGroupEvent } from './node-group-events.js';

export const by = (operationId: string) => ({ operationId });
export const begin = (id: string) => ({ id, kind: `node-group.${id}` });

/** A group whose nodes were all built. */
export function active(count: number, zones: readonly string[] = []): Simulation {
  const group = new Simulation(count, zones);
  group.exhaust(() => true);
  return group;
}

/** Appends the events of a decision that must be accepted. */
export function take(group: Simulation, decision: Decision<NodeGroupEvent>): void {
  if (!decision.ok) throw new Error(decision.refusal.code);
  group.append(...decision.events);
}

export const codeOf = (decision: Decision<NodeGroupEvent>): string =>
  decision.ok ? 'accepted' : decision.refusal.code;
export const ended = (group: Simulation): readonly OperationEnded['data'][] =>
  group.of('OperationEnded').map(e => e.data);
