import type { DomainEvent } from './decider.js';

/** Defines the streams of one category: what they are called and how their events fold into a state. */
export interface StreamDefinition<State, Event extends DomainEvent = DomainEvent> {
  /** The category in stream names `<category>-<id>`. */
  readonly category: string;
  readonly initial: State;
  /** Returns the state after the event, which was recorded at `time` (ISO 8601). Pure. */
  evolve(state: State, event: Event, time: string): State;
}

/** Defines the streams of a resource type. A resource has no state before the event that creates it: `undefined` means "does not exist". */
export interface ResourceStream<State, Event extends DomainEvent = DomainEvent> extends StreamDefinition<
  State | undefined,
  Event
> {
  readonly initial: undefined;
  evolve<S extends State | undefined>(state: S, event: Event, time: string): S | State;
}

type EventHandler<State, Event extends DomainEvent> = (state: State, event: Event, time: string) => State;

/** One handler for each type of event: a record that lacks one does not compile. */
export type EventHandlers<State, Event extends DomainEvent> = {
  readonly [E in Event as E['type']]: EventHandler<State, E>;
};

// the handler under the type of an event takes that event, which the compiler cannot follow
const byType = <Handler>(handlers: object): ReadonlyMap<string, Handler> =>
  new Map(Object.entries(handlers) as [string, Handler][]);

/** Defines a stream that has a state from the start. Events of other types leave the state as it is. */
export function defineStream<State, Event extends DomainEvent>(
  category: string,
  initial: State,
  handlers: EventHandlers<State, Event>,
): StreamDefinition<State, Event> {
  const known = byType<EventHandler<State, Event>>(handlers);
  return { category, initial, evolve: (state, event, time) => known.get(event.type)?.(state, event, time) ?? state };
}

/**
 * Defines the streams of a resource type by the event that creates the resource, and the handlers of all other events, whose time becomes
 * `updatedAt`. Events of other types, which a stream may hold (such as `CreationAbandoned`), leave the state as it is and create nothing.
 */
export function defineResourceStream<
  State extends { readonly updatedAt: string },
  Event extends DomainEvent,
  Creation extends Event['type'],
>(
  category: string,
  creation: { readonly [T in Creation]: (data: Extract<Event, { readonly type: T }>['data'], time: string) => State },
  handlers: EventHandlers<State, Exclude<Event, { readonly type: Creation }>>,
): ResourceStream<State, Event> {
  const creators = byType<(data: unknown, time: string) => State>(creation);
  const known = byType<EventHandler<State, Event>>(handlers);
  const evolve = (state: State | undefined, event: Event, time: string): State | undefined => {
    if (!state) return creators.get(event.type)?.(event.data, time);
    const next = known.get(event.type)?.(state, event, time);
    if (!next) return state;
    if (next === state) return { ...state, updatedAt: time };
    // a handler has just made this object, so that no one else sees it change; a copy would cost as much as the handler
    return Object.assign(next, { updatedAt: time });
  };
  // a state that exists results in another one
  return { category, initial: undefined, evolve: evolve as ResourceStream<State, Event>['evolve'] };
}
