import { readJournal, type JournalEntry } from '@stave/driver-fake';
import type { DistributedStack, RestClient } from '../distributed/stack.js';
import type { History, HistoryEvent } from './history.js';

/** Reads the history of a stack. The journal is read first, so that the claim of each of its changes is among the events. */
export async function readHistory({ rest, journalPath }: DistributedStack): Promise<History> {
  const journal = await journalOf(journalPath);
  return { journal, events: await eventsOf(rest) };
}

export async function journalOf(path: string): Promise<readonly JournalEntry[]> {
  const journal: JournalEntry[] = [];
  for await (const entry of readJournal(path)) journal.push(entry);
  return journal;
}

/** Returns all events, or those of one resource (`node/<id>` or its id). */
export async function eventsOf(rest: RestClient, resource?: string): Promise<readonly HistoryEvent[]> {
  const only = resource === undefined ? '' : `&resource=${encodeURIComponent(resource)}`;
  return (await rest.list(`/v1/events?limit=500&since=start${only}`)).map(historyEvent);
}

function historyEvent({ type, subject, time, position, data }: Readonly<Record<string, unknown>>): HistoryEvent {
  return {
    type: String(type),
    subject: String(subject),
    time: String(time),
    position: String(position),
    data: typeof data === 'object' && data !== null ? { ...data } : {},
  };
}
