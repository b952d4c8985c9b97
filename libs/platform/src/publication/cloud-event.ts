import type { RecordedEvent } from '../event-store/event-store.port.js';
import { splitStream } from '../event-store/stream-name.js';
import { cloudEventType } from './event-names.js';

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
  readonly correlationid: string;
  readonly causationid?: string;
  readonly idempotencykey?: string;
  readonly operationid?: string;
  readonly data: unknown;
}

const optional = <K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> =>
  value === undefined ? {} : ({ [key]: value } satisfies Record<string, string> as Partial<Record<K, string>>);

export function cloudEvent(event: RecordedEvent, source: string): CloudEvent {
  const { category, id } = splitStream(event.stream);
  const { metadata } = event;
  return {
    specversion: '1.0',
    id: event.id,
    type: cloudEventType(category, event.type, metadata.schemaVersion),
    source,
    subject: id ? `${category}/${id}` : category,
    time: metadata.time,
    datacontenttype: 'application/json',
    ...optional('project', metadata.project),
    ...optional('cluster', clusterOf(event)),
    revision: event.revision,
    position: String(event.position),
    ...optional('actor', metadata.actor),
    correlationid: metadata.correlationId,
    ...optional('causationid', metadata.causationId),
    ...optional('idempotencykey', metadata.idempotencyKey),
    ...optional('operationid', metadata.operationId),
    data: event.data,
  };
}

/** Returns the cluster of an event; a cluster's own events belong to it. */
export function clusterOf({ stream, metadata }: RecordedEvent): string | undefined {
  if (metadata.clusterId !== undefined) return metadata.clusterId;
  const { category, id } = splitStream(stream);
  return category === 'cluster' ? id : undefined;
}
