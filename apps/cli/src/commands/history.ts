import type { StaveEvent } from '@stave/client';
import type { Document } from '../api/api.js';
import { UsageError } from '../exit-codes.js';
import { timeOf } from '../input/duration.js';
import type { Noun } from '../nouns/noun.js';
import { findTarget, pathOf } from '../nouns/references.js';
import { writeDocument } from '../output/output.js';
import { tableLines } from '../output/table.js';
import { inline, printable } from '../output/values.js';
import type { Session } from '../session.js';

export interface HistoryFlags {
  readonly diff?: boolean;
  readonly since?: string;
  readonly until?: string;
}
export interface EventFlags {
  readonly follow?: boolean;
  readonly since?: string;
  readonly until?: string;
  readonly cluster?: string;
  readonly type?: string;
  readonly resource?: string;
}

type ShownEvent = StaveEvent & { readonly actorname?: string; readonly actor?: string };

function eventRow(event: ShownEvent): string[] {
  const { time, type, subject, actor, actorname } = event;
  return [String(time), type.replace(/^stave\./, ''), printable(String(subject)), printable(actorname ?? actor ?? '')];
}

/** Lays out events one by one, since they arrive one by one. */
const eventLine = (event: ShownEvent): string => {
  const [time = '', type = '', subject = '', actor = ''] = eventRow(event);
  return `${time}  ${type.padEnd(32)}  ${subject}  ${actor}`.trimEnd();
};

async function writeEvents(session: Session, events: AsyncIterable<ShownEvent>, until?: string): Promise<void> {
  const { terminal, format } = session;
  const kept: ShownEvent[] = [];
  for await (const event of events) {
    if (until !== undefined && Date.parse(String(event.time)) > Date.parse(until)) break;
    if (format === 'json' || format === 'yaml') kept.push(event);
    else if (!writeDocument(terminal, format, event)) terminal.out(`${eventLine(event)}\n`);
    await terminal.drained();
  }
  if (format === 'json' || format === 'yaml') writeDocument(terminal, format, { items: kept });
}

/** Shows the events of a resource, oldest first, or with `--diff` what changed since a time. */
export async function history(
  session: Session,
  noun: Noun | undefined,
  reference: string,
  flags: HistoryFlags,
): Promise<void> {
  const { api } = session;
  const path = noun ? await pathOf(api, noun, reference) : (await findTarget(api, reference)).path;
  const since = flags.since === undefined ? undefined : timeOf(flags.since, session.now());
  if (flags.diff) return diff(session, path, since, flags.until);
  const all = api.items(`${path}/events`) as AsyncIterable<unknown> as AsyncIterable<ShownEvent>;
  const until = flags.until === undefined ? undefined : timeOf(flags.until, session.now());
  await writeEvents(session, since === undefined ? all : after(all, since), until);
}

async function* after(events: AsyncIterable<ShownEvent>, since: string): AsyncGenerator<ShownEvent> {
  for await (const event of events) if (Date.parse(String(event.time)) >= Date.parse(since)) yield event;
}

async function diff(
  session: Session,
  path: string,
  since: string | undefined,
  until: string | undefined,
): Promise<void> {
  const { api, terminal, format } = session;
  const query = {
    from: await startOf(session, path, since),
    ...(until === undefined ? {} : { to: timeOf(until, session.now()) }),
  };
  const answer = await api.read<Document & { readonly changes: readonly Document[] }>(`${path}/diff`, query);
  if (writeDocument(terminal, format, answer)) return;
  if (answer.changes.length === 0) return session.note('Nothing changed.');
  const rows = answer.changes.map(({ pointer, from, to }) => [String(pointer), `${inline(from)} → ${inline(to)}`]);
  for (const line of tableLines(rows, terminal.columns)) terminal.out(`${line}\n`);
}

/** A resource that is younger than `since` is compared with its first revision. */
async function startOf({ api }: Session, path: string, since: string | undefined): Promise<string> {
  if (since === undefined) return '1';
  const [first] = await firstEvents(api, path);
  return first && Date.parse(since) < Date.parse(String(first['time'])) ? '1' : since;
}

const firstEvents = async (api: Session['api'], path: string): Promise<readonly Document[]> =>
  (await api.read<{ items: Document[] }>(`${path}/events`, { limit: 1 })).items;

/** Shows events of all resources: the past ones between two times, or those that come with `--follow`. */
export async function events(session: Session, flags: EventFlags): Promise<void> {
  const { follow, since, until, ...filters } = flags;
  if (follow && until !== undefined)
    throw new UsageError('--until has no meaning with --follow, which does not end by itself');
  const chosen = Object.fromEntries(
    ['cluster', 'type', 'resource'].flatMap(name => {
      const value = filters[name as 'cluster' | 'type' | 'resource'];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const from = since === undefined ? undefined : timeOf(since, session.now());
  if (!follow) {
    const last = until === undefined ? {} : { until: timeOf(until, session.now()) };
    const query = { ...chosen, ...last, since: from ?? timeOf('1h', session.now()) };
    return writeEvents(
      session,
      session.api.items('/v1/events', query) as AsyncIterable<unknown> as AsyncIterable<ShownEvent>,
    );
  }
  const onDisconnect = (): void => session.note('the connection was lost; the stream resumes after the last event');
  await writeEvents(session, session.api.events({ ...chosen, from: from ?? 'now', onDisconnect }));
}
