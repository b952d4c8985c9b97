import type { RecordedEvent } from '../event-store/event-store.port.js';
import { cloudEvent } from './cloud-event.js';
import { splitStream } from '../event-store/stream-name.js';

/** NATS takes 1 MB; headers and subject need some of it. */
const MOST_BYTES = 1_000_000;

export interface PublishedMessage {
  readonly subject: string;
  /** The event's id. */
  readonly id: string;
  /** The CloudEvent as JSON. */
  readonly text: string;
}

/** `-` stands where there is nothing; what a subject cannot hold becomes `_`. */
const token = (text: string | undefined): string => (text ? text.replaceAll(/[^A-Za-z0-9_-]/g, '_') : '-');

/** `stave.evt.<project>.<resource>.<id>.<eventType>`, the event type as in the log. */
export function publishedSubject(event: RecordedEvent): string {
  const { category, id } = splitStream(event.stream);
  return ['stave.evt', ...[event.metadata.project, category, id, event.type].map(token)].join('.');
}

/** The message of an event: what the gateway streams. Where it does not fit, `data` is left out and `dataref` says where it is. */
export function publishedMessage(event: RecordedEvent, source: string): PublishedMessage {
  const envelope = cloudEvent(event, source);
  const whole = JSON.stringify(envelope);
  const fits = Buffer.byteLength(whole) <= MOST_BYTES;
  const { data: _, ...bare } = envelope;
  return {
    subject: publishedSubject(event),
    id: event.id,
    text: fits ? whole : JSON.stringify({ ...bare, dataref: dataref(event) }),
  };
}

/** Position `p` is the first of the page after `p - 1`. */
const dataref = ({ position }: RecordedEvent): string =>
  `/v1/events?since=${position === 0 ? 'start' : position - 1}&limit=1`;
