import type { EventMetadata, RecordedEvent } from '../../event-store.port.js';
import type { StreamNames } from '../stream-names.js';
import { FieldReader } from './field-reader.js';

/** An entry of the log at its position, with the event unless it is of the server or of another installation, or a link. */
export interface ReadEntry {
  readonly kind: 'entry';
  readonly position: number;
  readonly event?: RecordedEvent;
}

/** A response to a read or a subscription. `other`: one that says nothing here, such as a confirmation. */
export type ReadResponse =
  | ReadEntry
  /** The position up to which the server has considered events. */
  | { readonly kind: 'position'; readonly position: number }
  | { readonly kind: 'caught-up' }
  | { readonly kind: 'other' };

/** Fields of ReadResp and of the messages within it, by their numbers in the protocol. */
const Response = { event: 1, checkpoint: 3, caughtUp: 8 } as const;
const Checkpoint = { commitPosition: 1 } as const;
const ReadEvent = { event: 1, commitPosition: 3 } as const;
const Recorded = { id: 1, stream: 2, revision: 3, commitPosition: 5, system: 6, metadata: 7, data: 8 } as const;
const Uuid = { text: 2 } as const;
const StreamIdentifier = { name: 3 } as const;
const MapEntry = { key: 1, value: 2 } as const;

const caughtUp: ReadResponse = { kind: 'caught-up' };
const other: ReadResponse = { kind: 'other' };

/** The number of events that are kept: the subscriptions of a process receive an event at about the same time. */
const KEPT = 1024;

/** Decodes responses to reads and subscriptions. */
export class ReadResponses {
  private readonly kept = new Array<{ readonly event: RecordedEvent; readonly size: number } | undefined>(KEPT);

  constructor(private readonly names: StreamNames) {}

  decode(bytes: Buffer): ReadResponse {
    const fields = new FieldReader(bytes);
    while (fields.next()) {
      if (fields.field === Response.event) return this.entry(fields.message());
      if (fields.field === Response.checkpoint) return { kind: 'position', position: positionIn(fields.message()) };
      if (fields.field === Response.caughtUp) return caughtUp;
      fields.skip();
    }
    return other;
  }

  private entry(fields: FieldReader): ReadEntry {
    let recorded: RecordedParts | undefined;
    let position = NaN;
    while (fields.next()) {
      if (fields.field === ReadEvent.event) recorded = recordedParts(fields.message());
      else if (fields.field === ReadEvent.commitPosition) position = fields.number();
      else fields.skip();
    }
    if (!recorded) return { kind: 'entry', position };
    const event = this.event(recorded);
    return { kind: 'entry', position: recorded.position, ...(event && { event }) };
  }

  /** Returns the same object as at the last time where the event was decoded a moment ago. */
  private event({ data, metadata, ...recorded }: RecordedParts): RecordedEvent | undefined {
    const { id, type, revision, position } = recorded;
    const stream = this.names.own(textOf(recorded.stream));
    if (stream === undefined || type.startsWith('$')) return undefined;
    const slot = position % KEPT;
    const size = data.length + metadata.length;
    const kept = this.kept[slot];
    // another log may have another event at the same position
    if (kept?.size === size && isSame(kept.event, { id, stream, revision, position })) return kept.event;
    const event: RecordedEvent = {
      id,
      type,
      data: parsed(data),
      metadata: (metadata.length === 0 ? {} : parsed(metadata)) as EventMetadata, // other writers may omit members
      stream,
      revision,
      position,
    };
    this.kept[slot] = { event, size };
    return event;
  }
}

type Place = Pick<RecordedEvent, 'id' | 'stream' | 'revision' | 'position'>;

const isSame = (a: Place, b: Place): boolean =>
  a.id === b.id && a.position === b.position && a.stream === b.stream && a.revision === b.revision;

/** An event whose name of its stream, data and metadata are bytes yet. */
interface RecordedParts {
  readonly id: string;
  readonly type: string;
  readonly stream: Buffer;
  readonly revision: number;
  readonly position: number;
  readonly metadata: Buffer;
  readonly data: Buffer;
}

const none: Buffer = Buffer.alloc(0);

function recordedParts(fields: FieldReader): RecordedParts {
  let id = '';
  let type = '';
  let revision = 0;
  let position = 0;
  let stream = none;
  let metadata = none;
  let data = none;
  while (fields.next()) {
    if (fields.field === Recorded.data) data = fields.slice();
    else if (fields.field === Recorded.metadata) metadata = fields.slice();
    else if (fields.field === Recorded.system) type = typeIn(fields.message()) ?? type;
    else if (fields.field === Recorded.id) id = memberOf(fields.message(), Uuid.text).toString('utf8');
    else if (fields.field === Recorded.stream) stream = memberOf(fields.message(), StreamIdentifier.name);
    else if (fields.field === Recorded.revision) revision = fields.number();
    else if (fields.field === Recorded.commitPosition) position = fields.number();
    else fields.skip();
  }
  return { id, type, stream, revision, position, metadata, data };
}

/** Returns the type of the event, where this is the entry of the map that states it. */
function typeIn(entry: FieldReader): string | undefined {
  let isType = false;
  let value: string | undefined;
  while (entry.next()) {
    if (entry.field === MapEntry.key) isType = entry.text() === 'type';
    else if (entry.field === MapEntry.value && isType) value = entry.text();
    else entry.skip();
  }
  return value;
}

function memberOf(fields: FieldReader, field: number): Buffer {
  let found = none;
  while (fields.next())
    if (fields.field === field) found = fields.slice();
    else fields.skip();
  return found;
}

function positionIn(fields: FieldReader): number {
  while (fields.next()) {
    if (fields.field === Checkpoint.commitPosition) return fields.number();
    fields.skip();
  }
  return 0;
}

const textOf = (bytes: Buffer): string => bytes.toString('utf8');

/** Returns the text itself where it is not JSON: other writers may use the server. */
function parsed(bytes: Buffer): unknown {
  const text = textOf(bytes);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
