import { TextDecoder } from 'node:util';
import type { AppendReq, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import type { EventMetadata, NewEvent } from '@stave/platform';

/** The expected state of a stream. EventStoreDB has `stream_exists`; the port does not. */
export type WireExpected = number | 'no_stream' | 'any' | 'stream_exists';

export interface ProposedAppend {
  readonly stream: string;
  readonly expected: WireExpected;
  readonly events: readonly NewEvent[];
  /** The size as EventStoreDB counts it: data, metadata and types. */
  readonly bytes: number;
}

type ProposedMessage = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The request is malformed or asks for something that the server does not support. */
export class BadRequestError extends Error {
  override readonly name = 'BadRequestError';
}

export function streamNameOf(identifier: StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

export function uuidOf(uuid: UUID | undefined): string {
  const structured = uuid?.getStructured();
  if (!structured) return uuid?.getString() ?? '';
  const bytes = Buffer.alloc(16);
  bytes.writeBigInt64BE(BigInt(structured.getMostSignificantBits()), 0);
  bytes.writeBigInt64BE(BigInt(structured.getLeastSignificantBits()), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function expectedOfAppend(options: AppendReq.Options): WireExpected {
  if (options.hasRevision()) return Number(options.getRevision());
  return expectedOption(options);
}

export function expectedOfBatch(options: BatchAppendReq.Options): WireExpected {
  if (options.hasStreamPosition()) return Number(options.getStreamPosition());
  return expectedOption(options);
}

function expectedOption(options: AppendReq.Options | BatchAppendReq.Options): WireExpected {
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

/** Converts a message to an event to append. Throws BadRequestError for events that are not JSON. */
export function proposedAppend(
  stream: string,
  expected: WireExpected,
  messages: readonly ProposedMessage[],
): ProposedAppend {
  const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0);
  return { stream, expected, bytes, events: messages.map(newEvent) };
}

function bytesOf(message: ProposedMessage): number {
  const type = message.getMetadataMap().get('type') ?? '';
  return message.getData_asU8().length + message.getCustomMetadata_asU8().length + Buffer.byteLength(type);
}

function newEvent(message: ProposedMessage): NewEvent {
  const meta = message.getMetadataMap();
  if (meta.get('content-type') !== 'application/json')
    throw new BadRequestError('events must be of content type application/json');
  const data: object = parse(message.getData_asU8(), 'data');
  const custom = message.getCustomMetadata_asU8();
  const metadata: EventMetadata = custom.length === 0 ? {} : parse(custom, 'metadata');
  return { id: uuidOf(message.getId()), type: meta.get('type') ?? '', data, metadata };
}

function parse(bytes: Uint8Array, what: string) {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new BadRequestError(`${what} is not JSON in UTF-8`, { cause });
  }
}
