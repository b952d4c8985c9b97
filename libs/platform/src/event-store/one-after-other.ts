import type { AppendResult, EventStore, OrderedAppend } from './event-store.port.js';

/** Does what `EventStore.appendInOrder` promises with a store that appends to one stream at a time. */
export async function oneAfterOther(
  store: Pick<EventStore, 'append'>,
  appends: readonly OrderedAppend[],
): Promise<readonly AppendResult[]> {
  const results: AppendResult[] = [];
  for (const { stream, events, expected, requires } of appends) {
    await requires;
    results.push(await store.append(stream, events, expected));
  }
  return results;
}
