import type { DomainEvent } from './decider.js';

/** Defines the streams of one category: what they are called and how their events fold into a state. */
export interface StreamDefinition<State, Event extends DomainEvent = DomainEvent> {
  /** The category in stream names `<category>-<id>`. */
  readonly category: string;
  readonly initial: State;
  /** Returns the state after the event, which was recorded at `time` (ISO 8601). Pure. */
  evolve(state: State, event: Event, time: string): State;
}

type EventHandler<State, Event extends DomainEvent> = (state: State, event: Event, time: string) => State;

/** One handler for each type of event: a record that lacks one does not compile. */
export type EventHandlers<State, Event extends DomainEvent> = {
  readonly [E in Event as E['type']]: EventHandler<State, E>;
};

/**
 * Defines a stream by the handlers of its events. A state that has `updatedAt` gets the time of each event. Events of other types, which
 * a stream may hold (such as `CreationAbandoned`), leave the state as it is.
 */
export function defineStream<State extends object, Event extends DomainEvent>(
  category: string,
  initial: State,
  handlers: EventHandlers<State, Event>,
): StreamDefinition<State, Event> {
  // the handler under the type of an event takes that event, which the compiler cannot follow
  const byType = new Map(Object.entries(handlers) as unknown as [string, EventHandler<State, Event>][]);
  const isTimed = 'updatedAt' in initial;
  const evolve: EventHandler<State, Event> = (state, event, time) =>
    byType.get(event.type)?.(isTimed ? { ...state, updatedAt: time } : state, event, time) ?? state;
  return { category, initial, evolve };
}
