import type { Append, AppendResult, EventStore } from './event-store.port.js';

/** Does what `EventStore.appendInOrder` promises with a store that appends to one stream at a time. */
export async function oneAfterOther(
  store: Pick<EventStore, 'append'>,
  appends: readonly Append[],
): Promise<readonly AppendResult[]> {
  const results: AppendResult[] = [];
  for (const { stream, events, expected } of appends) results.push(await store.append(stream, events, expected));
  return results;
}
