import { once } from 'node:events';
import type { MethodDefinition, ServerWritableStream } from '@grpc/grpc-js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { Refusal } from './server-faults.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';

/** A response of Streams/Read, or one that is encoded already. */
export type Response = ReadResp | Buffer;

export type ReadCall = ServerWritableStream<ReadReq, Response>;

const { read } = StreamsService;

/** The definition of Streams/Read whose responses may be encoded already. */
export const readMethod: MethodDefinition<ReadReq, Response> = {
  ...read,
  responseSerialize: response => (Buffer.isBuffer(response) ? response : read.responseSerialize(response)),
};

/** Writes responses at the speed of the client. A slow client delays the writer and is never disconnected. */
export class ResponseWriter {
  private readonly gone = new AbortController();

  constructor(private readonly call: ReadCall) {
    for (const event of ['cancelled', 'close', 'error']) call.on(event, () => this.gone.abort());
  }

  /** Whether the client has ended the call. */
  get closed(): boolean {
    return this.gone.signal.aborted || this.call.cancelled;
  }

  onClose(listener: () => void): void {
    this.gone.signal.addEventListener('abort', listener, { once: true });
  }

  /** Resolves when the next message may be written or the client has ended the call. */
  async write(response: Response): Promise<void> {
    if (this.closed || this.call.write(response)) return;
    try {
      await once(this.call, 'drain', { signal: this.gone.signal });
    } catch (error) {
      if (!this.closed) throw error;
    }
  }

  end(): void {
    if (!this.closed) this.call.end();
  }

  fail(error: Refusal): void {
    if (!this.closed) this.call.emit('error', error);
  }
}
