import { TextDecoder } from 'node:util';
import type { Metadata } from '@grpc/grpc-js';
import type { AppendReq, BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { WrongExpectedRevisionError, type EventMetadata, type EventStore, type NewEvent } from '@stave/platform';
import { BadRequestError, grpcError, type GrpcError } from './grpc-error.js';
import type { ServerFaults } from './server-faults.js';
import type { Access } from './server-users.js';

export const MAX_APPEND_BYTES = 1_048_576;

/** The expected state of a stream in EventStoreDB's protocol. The port has no `stream_exists`. */
export type WireExpected = number | 'no_stream' | 'any' | 'stream_exists';

type ProposedMessage = AppendReq.ProposedMessage | BatchAppendReq.ProposedMessage;

interface RequestedAppend {
  readonly stream: StreamIdentifier | undefined;
  readonly expected: WireExpected;
  readonly messages: readonly ProposedMessage[];
}

/** The result of an append, which each handler converts to its own response. */
export type AppendOutcome =
  | { readonly kind: 'success'; readonly revision: number | 'no_stream'; readonly position?: number }
  | { readonly kind: 'conflict'; readonly actual: number | 'no_stream' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'failed'; readonly error: GrpcError };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Runs one append. Never rejects. Appends reach the store in the order of the calls, except those that expect `stream_exists`. */
async function runAppend(store: EventStore, append: RequestedAppend, faults: ServerFaults): Promise<AppendOutcome> {
  if (faults.identicalAppendsAbortMs === undefined) return appendNow(store, append);
  const key = [streamNameOf(append.stream), ...append.messages.map(message => uuidOf(message.getId()))].join();
  const outcome = await faults.runAlone(key, () => appendNow(store, append));
  return 'kind' in outcome ? outcome : { kind: 'failed', error: outcome };
}

/** Runs one append if the user of the call may write to the stream. Never rejects. */
export async function runAllowed(
  store: EventStore,
  append: RequestedAppend,
  faults: ServerFaults,
  { access, metadata }: { readonly access: Access | undefined; readonly metadata: Metadata },
): Promise<AppendOutcome> {
  if (!access) return runAppend(store, append, faults);
  const error = await access.users.refusal(access.store, metadata, 'write', streamNameOf(append.stream));
  return error ? { kind: 'failed', error } : runAppend(store, append, faults);
}

async function appendNow(store: EventStore, append: RequestedAppend): Promise<AppendOutcome> {
  const { expected, messages } = append;
  try {
    const stream = streamNameOf(append.stream);
    const events = messages.map(newEvent);
    if (messages.reduce((sum, message) => sum + bytesOf(message), 0) > MAX_APPEND_BYTES) return { kind: 'too-large' };
    if (expected === 'stream_exists' || events.length === 0)
      return await appendChecked(store, stream, events, expected);
    return { kind: 'success', ...(await store.append(stream, events, expected)) };
  } catch (error) {
    if (error instanceof WrongExpectedRevisionError) return { kind: 'conflict', actual: error.actual };
    return { kind: 'failed', error: grpcError(error) };
  }
}

/** Compares the expected state with the end of the stream before it appends, for appends that the port cannot express. */
async function appendChecked(
  store: EventStore,
  stream: string,
  events: readonly NewEvent[],
  expected: WireExpected,
): Promise<AppendOutcome> {
  const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
  const actual = last?.revision ?? 'no_stream';
  if (expected === 'stream_exists' ? actual === 'no_stream' : expected !== 'any' && expected !== actual) {
    return { kind: 'conflict', actual };
  }
  if (events.length === 0) return { kind: 'success', revision: actual, position: last?.position };
  return { kind: 'success', ...(await store.append(stream, events, 'any')) };
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

export function expectedOf(options: AppendReq.Options | BatchAppendReq.Options): WireExpected {
  if ('getRevision' in options && options.hasRevision()) return Number(options.getRevision());
  if ('getStreamPosition' in options && options.hasStreamPosition()) return Number(options.getStreamPosition());
  if (options.hasNoStream()) return 'no_stream';
  return options.hasStreamExists() ? 'stream_exists' : 'any';
}

/** Returns the size of a message as EventStoreDB counts it: data, metadata and type. */
function bytesOf(message: ProposedMessage): number {
  const type = message.getMetadataMap().get('type') ?? '';
  return message.getData_asU8().length + message.getCustomMetadata_asU8().length + Buffer.byteLength(type);
}

/** Converts a message to an event to append. Throws BadRequestError for events that are not JSON. */
function newEvent(message: ProposedMessage): NewEvent {
  const meta = message.getMetadataMap();
  if (meta.get('content-type') !== 'application/json')
    throw new BadRequestError(
      'the content type of an event is not application/json; the server stores JSON events only',
    );
  const data: object = parse(message.getData_asU8(), 'data');
  const custom = message.getCustomMetadata_asU8();
  const metadata: EventMetadata = custom.length === 0 ? {} : parse(custom, 'metadata');
  return { id: uuidOf(message.getId()), type: meta.get('type') ?? '', data, metadata };
}

function parse(bytes: Uint8Array, what: string) {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (cause) {
    throw new BadRequestError(`the ${what} of an event is not JSON in UTF-8`, { cause });
  }
}
