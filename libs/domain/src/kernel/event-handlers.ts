import type { DomainEvent } from './decider.js';

type EventHandler<State, Event extends DomainEvent> = (state: State, event: Event, time: string) => State;

/** One handler for each type of event: a record that lacks one does not compile. */
export type EventHandlers<State, Event extends DomainEvent> = {
  readonly [E in Event as E['type']]: EventHandler<State, E>;
};

/**
 * Returns the `evolve` that gives each event to the handler of its type, with `updatedAt` set to the time of the event. Events of
 * other types, which a stream may hold (such as `CreationAbandoned`), leave the state as it is.
 */
export function evolveByType<State extends { readonly updatedAt: string }, Event extends DomainEvent>(
  handlers: EventHandlers<State, Event>,
): EventHandler<State, Event> {
  // the handler under the type of an event takes that event, which the compiler cannot follow
  const byType = new Map(Object.entries(handlers) as unknown as [string, EventHandler<State, Event>][]);
  return (state, event, time) => byType.get(event.type)?.({ ...state, updatedAt: time }, event, time) ?? state;
}
