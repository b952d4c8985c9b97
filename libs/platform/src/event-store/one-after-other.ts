import { setImmediate as turn } from 'node:timers/promises';
import type { AppendResult, EventStore, OrderedAppend } from './event-store.port.js';

type Requires = OrderedAppend['requires'];

/**
 * Does what `EventStore.appendInOrder` promises with a store that appends to one stream at a time. What an append requires begins one turn after
 * the append before it was sent: a server that gets both at once would answer the question before it begins to write.
 */
export async function oneAfterOther(
  store: Pick<EventStore, 'append'>,
  appends: readonly OrderedAppend[],
): Promise<readonly AppendResult[]> {
  const results: AppendResult[] = [];
  let required = appends[0]?.requires?.();
  for (const [i, { stream, events, expected }] of appends.entries()) {
    if (required) await required;
    const appended = store.append(stream, events, expected);
    required = inNextTurn(appends[i + 1]?.requires);
    results.push(await appended);
  }
  return results;
}

function inNextTurn(requires: Requires): Promise<unknown> | undefined {
  const begun = requires && turn().then(requires);
  begun?.catch(() => undefined); // whoever awaits it hears it, unless the append before was refused
  return begun;
}
