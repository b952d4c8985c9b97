import type { ContainerState } from '../container/container-state.js';
import type { DomainEvent } from '../kernel/decider.js';
import type { NodeState } from '../node/node-state.js';
import type { PlanAction, PlanStep } from './plan.js';

/** A change of one unit on the infrastructure: the state before (undefined for a creation), the events, and the state after them. */
interface UnitEffect<S> {
  readonly before: S | undefined;
  readonly after: S;
  readonly events: readonly DomainEvent[];
}

/** Returns an event type as words, such as `rebuild requested` for `NodeRebuildRequested`. */
function reasonOf(type: string, { type: event }: DomainEvent): string {
  return event
    .slice(type.length)
    .replaceAll(/([A-Z])/g, ' $1')
    .trim()
    .toLowerCase();
}

const shows = ({ type }: DomainEvent): boolean => !type.startsWith('Operation');

function step(resource: PlanStep['resource'], action: PlanAction, events: readonly DomainEvent[]): readonly PlanStep[] {
  const last = events.findLast(shows);
  return [{ action, resource, ...(last ? { reason: reasonOf(resource.type, last) } : {}) }];
}

export function planNode({ before, after, events }: UnitEffect<NodeState>): readonly PlanStep[] {
  if (!before) return [];
  const works = before.generation !== after.generation || (after.rebuilding && !before.rebuilding);
  const { id, name } = after.declared;
  return step({ type: 'node', id, name }, works || isTriedAgain(events) ? 'change' : 'keep', events);
}

export function planContainer({ before, after, events }: UnitEffect<ContainerState>): readonly PlanStep[] {
  const { id, name } = after.declared;
  if (!before) return step({ type: 'container', name }, 'create', events);
  const resource = { type: 'container', id, name };
  if (events.some(e => e.type === 'ContainerDeletionRequested')) return step(resource, 'remove', events);
  const works = before.generation !== after.generation || isTriedAgain(events);
  return step(resource, works ? 'change' : 'keep', events);
}

const isTriedAgain = (events: readonly DomainEvent[]): boolean => events.some(e => e.type.endsWith('TaskRetried'));
