import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers';
import { status } from '@grpc/grpc-js';
import { parseUUID } from '@eventstore/db-client/dist/utils/grpcUUID.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreUnavailableError, type ExpectedRevision } from '../event-store.port.js';
import { batchAppendResult, type Appended } from './batch-append-result.js';
import type { CallDeadline } from './call-deadline.js';
import type { BatchAppendCall, StoreClient } from './store-client.js';
import { batchAppendRequest } from './wire/batch-append-request.js';
import type { SentEvent } from './wire/sent-events.js';

/** The appends and their bytes that may wait for answers; later appends wait until there is room. */
const MOST_IN_FLIGHT = 2_048;
const MOST_BYTES_IN_FLIGHT = 8 * 1_048_576;

interface PendingAppend {
  readonly stream: string;
  readonly request: Buffer;
  readonly bytes: number;
  readonly resolve: (result: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/** The server does not offer BatchAppend. */
export class BatchAppendMissingError extends Error {
  override readonly name = 'BatchAppendMissingError';
}

/**
 * Sends appends over one long-lived BatchAppend stream, without waiting for the answers of earlier ones. When the
 * stream ends, every append without an answer rejects; the caller repeats it with the same event ids.
 */
export class AppendPipeline {
  /** Appends that are not sent yet, by correlation id, oldest first. */
  private readonly waiting = new Map<string, PendingAppend>();
  /** Appends that were sent and have no answer, by correlation id. */
  private readonly inFlight = new Map<string, PendingAppend>();
  private call: BatchAppendCall | undefined;
  private bytesInFlight = 0;
  private opening = false;
  private closed = false;
  private retired = false;

  constructor(private readonly client: StoreClient) {}

  /**
   * Attempts one append. Rejects with an error of the client, EventStoreUnavailableError, BatchAppendMissingError, or
   * the reason of the deadline, after which the outcome is unknown.
   */
  append(
    stream: string,
    events: readonly SentEvent[],
    expected: ExpectedRevision,
    deadline: CallDeadline,
  ): Promise<Appended> {
    return new Promise((resolve, reject) => {
      if (this.closed) return reject(new EventStoreUnavailableError('the connection to EventStoreDB is closed'));
      const id = randomUUID();
      const abandon = (reason: Error) => {
        this.waiting.delete(id);
        this.takeInFlight(id);
        reject(reason);
        this.send();
        this.endIfIdle();
      };
      const settled = deadline.onPassed(abandon);
      const request = batchAppendRequest(id, stream, events, expected);
      this.waiting.set(id, {
        stream,
        request,
        bytes: request.length,
        resolve: result => (settled(), resolve(result)),
        reject: error => (settled(), reject(error)),
      });
      this.send();
    });
  }

  /** Ends the stream when no append waits for an answer any more. */
  retire(): void {
    this.retired = true;
    this.endIfIdle();
  }

  /** Ends the stream. Appends without an answer reject. */
  close(): void {
    this.closed = true;
    this.call?.cancel();
    this.failAll(new EventStoreUnavailableError('the connection to EventStoreDB is closed'));
  }

  /** Sends as many waiting appends as the stream takes. */
  private send(): void {
    if (this.waiting.size === 0) return;
    const { call } = this;
    if (!call) return this.open();
    for (const [id, append] of this.waiting) {
      if (this.inFlight.size >= MOST_IN_FLIGHT || this.bytesInFlight >= MOST_BYTES_IN_FLIGHT) return;
      this.waiting.delete(id);
      this.inFlight.set(id, append);
      this.bytesInFlight += append.bytes;
      call.write(append.request);
    }
  }

  private open(): void {
    if (this.opening || this.closed) return;
    this.opening = true;
    const ended = (error: unknown): void => {
      this.opening = false;
      this.call = undefined;
      this.failAll(translated(error));
    };
    this.client
      .batchAppend(call => this.use(call))
      .then(() => ended(new EventStoreUnavailableError('EventStoreDB has ended the stream of appends')), ended);
  }

  private use(call: BatchAppendCall): void {
    this.call = call;
    call.on('data', (response: BatchAppendResp) => this.receive(response));
    call.on('drain', () => {
      this.send();
    });
    if (this.closed) call.cancel();
    this.send();
    this.endIfIdle();
  }

  private receive(response: BatchAppendResp): void {
    const correlationId = response.getCorrelationId();
    const id = correlationId ? parseUUID(correlationId) : '';
    const append = this.takeInFlight(id);
    if (!append) return; // its deadline has passed
    const result = batchAppendResult(response, append.stream);
    if (result instanceof Error) append.reject(result);
    else append.resolve(result);
    this.send();
    this.endIfIdle();
  }

  private takeInFlight(id: string): PendingAppend | undefined {
    const append = this.inFlight.get(id);
    if (append && this.inFlight.delete(id)) this.bytesInFlight -= append.bytes;
    return append;
  }

  private endIfIdle(): void {
    if (!this.retired || this.inFlight.size > 0 || this.waiting.size > 0) return;
    const { call } = this;
    // a call that is cancelled within its own callback can fail, see grpc-node issue 1652
    if (call) setImmediate(() => call.cancel());
  }

  private failAll(error: unknown): void {
    const failed = [...this.inFlight.values(), ...this.waiting.values()];
    this.inFlight.clear();
    this.bytesInFlight = 0;
    this.waiting.clear();
    for (const append of failed) append.reject(error);
  }
}

function translated(error: unknown): unknown {
  const isMissing = error instanceof Error && 'code' in error && error.code === status.UNIMPLEMENTED;
  return isMissing ? new BatchAppendMissingError('EventStoreDB does not offer BatchAppend') : error;
}
