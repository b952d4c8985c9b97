import type { EventFilter, EventStore, RecordedEvent } from '@stave/platform';
import type { ReadFrom } from './read.request.js';

const PAGE = 512;
/** The size of the first page of a backwards read of few events: others may be left out of it. */
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

/** Yields all events before a position, newest first. The first page is of the size that is asked for. */
export async function* pagesBackwards(
  store: EventStore,
  from: ReadFrom,
  filter: EventFilter | undefined,
  count: number,
): AsyncGenerator<readonly RecordedEvent[]> {
  if (from === 'start') return;
  let before = from === 'end' ? undefined : from;
  for (let limit = Math.min(PAGE, Math.max(FEW, count)); ; limit = PAGE) {
    const events = await store.readAll({ direction: 'backwards', before, limit, filter });
    yield events;
    before = events[limit - 1]?.position;
    if (before === undefined) return;
  }
}
