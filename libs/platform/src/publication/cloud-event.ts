import { omitUndefined } from '@stave/domain';
import type { EventStore, RecordedEvent } from '../event-store/event-store.port.js';
import { splitStream } from '../event-store/stream-name.js';

/** A CloudEvent 1.0 with the extensions of docs/reference/events.md; absent extensions are omitted. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly type: string;
  readonly source: string;
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly project?: string;
  readonly cluster?: string;
  readonly revision: number;
  readonly position: string;
  readonly actor?: string;
  readonly actorname?: string;
  readonly actormethod?: string;
  readonly actorissuer?: string;
  readonly correlationid: string;
  readonly causationid?: string;
  readonly idempotencykey?: string;
  readonly operationid?: string;
  readonly traceparent?: string;
  readonly data: unknown;
}

export function cloudEvent(event: RecordedEvent, source: string): CloudEvent {
  const { category, id } = splitStream(event.stream);
  const { metadata } = event;
  const envelope = omitUndefined({
    specversion: '1.0' as const,
    id: event.id,
    type: cloudEventType(category, event.type, metadata.schemaVersion),
    source,
    subject: id ? `${category}/${id}` : category,
    time: metadata.time,
    datacontenttype: 'application/json' as const,
    project: metadata.project,
    cluster: clusterOf(event),
    revision: event.revision,
    position: String(event.position),
    actor: metadata.actor,
    actorname: metadata.actorName,
    actormethod: metadata.actorMethod,
    actorissuer: metadata.actorIssuer,
    correlationid: metadata.correlationId,
    causationid: metadata.causationId,
    idempotencykey: metadata.idempotencyKey,
    operationid: metadata.operationId,
    traceparent: metadata.traceparent,
  });
  return { ...envelope, data: event.data };
}

/** Converts `NodeGroupCreated` in a stream of category nodeGroup to `stave.nodeGroup.created.v1`. */
export function cloudEventType(category: string, eventType: string, schemaVersion: number): string {
  const prefix = category.charAt(0).toUpperCase() + category.slice(1);
  const rest = eventType.slice(prefix.length);
  const name = eventType.startsWith(prefix) && /^[A-Z]/.test(rest) ? rest : eventType;
  return `stave.${category}.${name.charAt(0).toLowerCase()}${name.slice(1)}.v${schemaVersion}`;
}

/** Returns the cluster of an event; a cluster's own events belong to it. */
export function clusterOf({ stream, metadata }: RecordedEvent): string | undefined {
  if (metadata.clusterId !== undefined) return metadata.clusterId;
  const { category, id } = splitStream(stream);
  return category === 'cluster' ? id : undefined;
}

/** The CloudEvents source `/stave/<installation>`; the id is in the first event of the stream `installation`. */
export class EventSource {
  private known: string | undefined;

  constructor(private readonly eventStore: EventStore) {}

  get current(): string {
    return this.known ?? '/stave';
  }

  /** Reads the id of the installation, and waits until it exists. */
  async resolve(): Promise<string> {
    if (this.known !== undefined) return this.known;
    const [first] = await this.eventStore.readStream('installation', { limit: 1 });
    const id = idIn(first?.data);
    if (id !== undefined) this.known = `/stave/${id}`;
    return this.current;
  }
}

function idIn(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const id: unknown = 'id' in data ? data.id : 'installation' in data ? data.installation : undefined;
  return typeof id === 'string' ? id : undefined;
}
