import { WrongExpectedRevisionError, type EventStore } from '@stave/platform';
import { CHANGE_ABANDONED, CREATION_ABANDONED } from './names.js';
import { newEvents, type EventContext } from './new-events.js';

/** Where an event is awaited in a stream: the revision that it follows, -1 for the first one. */
export interface AwaitedPlace {
  readonly stream: string;
  readonly after: number;
}

/**
 * Takes the place of an event that was prepared for and has not come, so that it is never appended. Resolves to false where another event is
 * there already. No other event is appended to streams of other services.
 */
export async function abandonChange(
  store: EventStore,
  { stream, after }: AwaitedPlace,
  context: EventContext,
): Promise<boolean> {
  const abandoned = { type: after < 0 ? CREATION_ABANDONED : CHANGE_ABANDONED, data: {} };
  const events = newEvents(stream, after, [abandoned], context, new Date().toISOString());
  try {
    await store.append(stream, events, after < 0 ? 'no_stream' : after);
    return true;
  } catch (error) {
    if (error instanceof WrongExpectedRevisionError) return false;
    throw error;
  }
}
