import type { DomainEvent } from './decider.js';

/**
 * Defines the streams of one category: what they are called and how their events fold into a state. The log is trusted to hold only
 * events of the definition under the category; see {@link ignoreUnknownEvent} for what else may be there.
 */
export interface StreamDefinition<State, Event extends DomainEvent = DomainEvent> {
  /** The category in stream names `<category>-<id>`. */
  readonly category: string;
  readonly initial: State;
  /** Returns the state after the event, which was recorded at `time` (ISO 8601). Pure. */
  evolve(state: State, event: Event, time: string): State;
}

/**
 * Ends the switch of an `evolve`, which does not compile when a case is missing. At run time the stream may also hold events that its
 * definition does not know, such as `CreationAbandoned`; they leave the state as it is.
 */
export const ignoreUnknownEvent = <S>(state: S, _unknown: never): S => state;
