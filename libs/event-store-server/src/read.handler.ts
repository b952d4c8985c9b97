import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { status } from '@grpc/grpc-js';
import type { EventStore, RecordedEvent } from '@stave/platform';
import { pagesBackwards, pagesForwards, streamPages } from './event-pages.js';
import { grpcError } from './grpc-error.js';
import { readRequest, type ReadRequest } from './read.request.js';
import { caughtUp, checkpoint, confirmation, streamNotFound, type EventResponses } from './read.response.js';
import { ResponseWriter, type ReadCall, type Response } from './response-writer.js';
import type { ServerFaults } from './server-faults.js';
import type { Access } from './server-users.js';

export interface ReadBehaviour {
  readonly faults: ServerFaults;
  readonly responses: EventResponses;
  /** The number of live events after which a subscription that has not received them is ended. */
  readonly liveBuffer: number;
  /** Milliseconds between two deliveries to a live subscription. */
  readonly liveWindowMs: number;
}

/** Serves Streams/Read: reads and subscriptions, of one stream and of all streams. */
export function readHandler(store: EventStore, behaviour: ReadBehaviour, access?: Access) {
  const { faults } = behaviour;
  return (call: ReadCall): void => {
    const writer = new ResponseWriter(call);
    const isOfAll = call.request.getOptions()?.hasAll() ?? false;
    const refused =
      faults.refusal(call.metadata) ??
      (isOfAll ? faults.allStreamRefusal : undefined) ??
      access?.users.unknown(call.metadata);
    if (refused) return writer.fail(refused);
    faults.watch(call);
    serve(store, call, writer, { ...behaviour, access }).catch((error: unknown) => writer.fail(grpcError(error)));
  };
}

interface Behaviour extends ReadBehaviour {
  readonly access: Access | undefined;
}

async function serve(store: EventStore, call: ReadCall, writer: ResponseWriter, behaviour: Behaviour): Promise<void> {
  const { faults, access } = behaviour;
  const request = readRequest(call.request);
  const denied = await access?.users.refusal(access.store, call.metadata, 'read', request.stream ?? '$all');
  if (denied) return writer.fail(denied);
  if (faults.refusesUnknownPositions && (await isUnknownPosition(store, request))) return writer.fail(unknownPosition);
  if (request.count === undefined) return subscribe(store, request, writer, behaviour);
  const { stream } = request;
  const isMissing = stream !== undefined && (await store.readStream(stream, { limit: 1 })).length === 0;
  if (isMissing) await writer.write(streamNotFound(stream));
  else await writeRead(store, request, request.count, writer, behaviour.responses);
  writer.end();
}

function pagesOf(store: EventStore, { stream, from, backwards, filter }: ReadRequest, count: number) {
  if (stream !== undefined) return streamPages(store, stream, from, backwards);
  return backwards ? pagesBackwards(store, from, filter?.store, count) : pagesForwards(store, from, filter?.store);
}

async function writeRead(
  store: EventStore,
  request: ReadRequest,
  count: number,
  writer: ResponseWriter,
  responses: EventResponses,
): Promise<void> {
  let written = 0;
  const { filter, structuredIds } = request;
  for await (const page of pagesOf(store, request, count)) {
    const wanted = filter ? page.filter(event => filter.matches(event)) : page;
    const chosen = wanted.slice(0, count - written);
    await writer.writeAll(chosen.map(event => responses.encoded(event, structuredIds)));
    written += chosen.length;
    if (written >= count || writer.closed) return;
  }
}

const unknownPosition = { code: status.UNKNOWN, details: 'Unexpected FilteredReadAllResult: InvalidPosition' };

async function isUnknownPosition(store: EventStore, { stream, from }: ReadRequest): Promise<boolean> {
  if (stream !== undefined || typeof from !== 'number' || from > (await store.head())) return false;
  const [event] = await store.readAll({ after: from - 1, limit: 1 });
  return event?.position !== from;
}

const tooSlow = {
  code: status.ABORTED,
  details: 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
};

async function subscribe(
  store: EventStore,
  request: ReadRequest,
  writer: ResponseWriter,
  { liveBuffer, liveWindowMs, responses }: Behaviour,
): Promise<void> {
  const { stream, filter } = request;
  const after = await startOf(store, request);
  const wanted = wantedBy(request);
  await writer.write(confirmation(randomUUID()));
  if (writer.closed) return;
  let isLive = false;
  const subscription = store.subscribe({
    after,
    filter: stream === undefined ? filter?.store : { streamPrefixes: [stream] },
    onEvents: async (events, position) => {
      const chosen = events.filter(wanted);
      const sent = isLive ? chosen.slice(0, liveBuffer) : chosen;
      const batch: Response[] = sent.map(event => responses.encoded(event, request.structuredIds));
      const isCut = sent.length < chosen.length;
      if (filter && !isCut && position > (sent.at(-1)?.position ?? -1)) batch.push(checkpoint(position));
      await writer.writeAll(batch);
      if (isCut) return writer.fail(tooSlow);
      if (isLive && liveWindowMs > 0) await pause(liveWindowMs);
    },
    onCaughtUp: () => {
      isLive = true;
      void writer.write(caughtUp());
    },
    onError: error => writer.fail(grpcError(error)),
  });
  writer.onClose(() => void subscription.close());
}

/** Returns the exclusive position at which a subscription starts. */
async function startOf(store: EventStore, { stream, from }: ReadRequest): Promise<number | undefined> {
  if (from === 'end') return store.head();
  return stream === undefined && typeof from === 'number' ? from : undefined;
}

function wantedBy({ stream, from, filter }: ReadRequest): (event: RecordedEvent) => boolean {
  if (stream === undefined) return event => filter?.matches(event) ?? true;
  const after = typeof from === 'number' ? from : -1;
  return event => event.stream === stream && event.revision > after;
}
