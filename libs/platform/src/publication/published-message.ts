import type { RecordedEvent } from '../event-store/event-store.port.js';
import { cloudEvent } from './cloud-event.js';
import { splitStream } from '../event-store/stream-name.js';

/** The JetStream stream of published events. */
export const PUBLISHED_STREAM = 'STAVE_EVENTS';
export const PUBLISHED_SUBJECTS = 'stave.evt.>';

/** The maximum bytes of a message body. NATS accepts 1 MB, including headers and subject. */
const MOST_BYTES = 1_000_000;

export interface PublishedMessage {
  readonly subject: string;
  /** The event's id. */
  readonly id: string;
  /** The CloudEvent as JSON. */
  readonly text: string;
}

/** A token of a subject: `-` when empty, with `_` in place of reserved characters. */
const token = (text: string | undefined): string => (text ? text.replaceAll(/[^A-Za-z0-9_-]/g, '_') : '-');

/** Returns `stave.evt.<project>.<resource>.<id>.<eventType>` with the event type of the log. */
export function publishedSubject(event: RecordedEvent): string {
  const { category, id } = splitStream(event.stream);
  return ['stave.evt', ...[event.metadata.project, category, id, event.type].map(token)].join('.');
}

/**
 * Converts an event to the message that consumers receive. When it is too large, `dataref` replaces `data`: the address of
 * the page after `previous`, the position of the event before it in the log, or undefined for the first one.
 */
export function publishedMessage(event: RecordedEvent, source: string, previous: number | undefined): PublishedMessage {
  const envelope = cloudEvent(event, source);
  const whole = JSON.stringify(envelope);
  const fits = Buffer.byteLength(whole) <= MOST_BYTES;
  const { data: _, ...bare } = envelope;
  return {
    subject: publishedSubject(event),
    id: event.id,
    text: fits ? whole : JSON.stringify({ ...bare, dataref: `/v1/events?since=${previous ?? 'start'}&limit=1` }),
  };
}

/** Categories of internal and secret events, which are never published. */
const hidden = new Set(['idempotency', 'name', 'secret', 'apiKey', 'installation', 'clusterGroups', 'quota', 'audit']);

/** Whether events of a stream are public, on the gateway and on NATS. */
export function isShown(stream: string): boolean {
  return !stream.startsWith('$') && !hidden.has(splitStream(stream).category);
}
