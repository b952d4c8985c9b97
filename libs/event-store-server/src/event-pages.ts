import type { EventFilter, EventStore, RecordedEvent } from '@stave/platform';
import type { ReadFrom } from './read.request.js';

const PAGE = 512;
/** The size of the first window of a backwards read of few events. */
const FEW = 8;

/** Yields the events of a stream from revision `from`, page by page. */
export async function* streamPages(
  store: EventStore,
  stream: string,
  from: ReadFrom,
  backwards: boolean,
): AsyncGenerator<readonly RecordedEvent[]> {
  const direction = backwards ? 'backwards' : 'forwards';
  if (from === 'end' && !backwards) return;
  let next = typeof from === 'number' ? from : undefined;
  while (next !== -1) {
    const events = await store.readStream(stream, { from: next, direction, limit: PAGE });
    yield events;
    const last = events[PAGE - 1];
    if (!last) return;
    next = last.revision + (backwards ? -1 : 1);
  }
}

/** Yields all events from a position (inclusive), page by page. */
export async function* pagesForwards(
  store: EventStore,
  from: ReadFrom,
  filter: EventFilter | undefined,
): AsyncGenerator<readonly RecordedEvent[]> {
  if (from === 'end') return;
  let after = from === 'start' || from === 0 ? undefined : from - 1;
  for (;;) {
    const events = await store.readAll({ after, limit: PAGE, filter });
    yield events;
    after = events[PAGE - 1]?.position;
    if (after === undefined) return;
  }
}

/** Yields all events before a position, newest first. Reads window by window, because the port reads forwards only. */
export async function* pagesBackwards(
  store: EventStore,
  from: ReadFrom,
  filter: EventFilter | undefined,
  count: number,
): AsyncGenerator<readonly RecordedEvent[]> {
  let before = typeof from === 'number' ? from : from === 'end' ? (await store.head()) + 1 : 0;
  for (let window = Math.min(PAGE, Math.max(FEW, count)); before > 0; window *= 2) {
    const start = Math.max(0, before - window);
    const events: RecordedEvent[] = [];
    for await (const page of pagesForwards(store, start === 0 ? 'start' : start, filter)) {
      const inside = page.filter(event => event.position < before);
      events.push(...inside);
      if (inside.length < page.length) break;
    }
    yield events.reverse();
    before = start;
  }
}
