import type { MethodDefinition, ServerWritableStream } from '@grpc/grpc-js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { MessageBatch, unbatched } from './message-batch.js';
import type { Refusal } from './server-faults.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';

/** Each response can have a megabyte. */
const AT_ONCE = 64;

/** A response of Streams/Read, or one that is encoded already. */
export type Response = ReadResp | Buffer;

export type ReadCall = ServerWritableStream<ReadReq, Response | MessageBatch<Response>>;

const { read } = StreamsService;

/** The definition of Streams/Read whose responses may be encoded already. */
export const readMethod: MethodDefinition<ReadReq, Response | MessageBatch<Response>> = {
  ...read,
  responseSerialize: unbatched<Response>(response =>
    Buffer.isBuffer(response) ? response : read.responseSerialize(response),
  ),
};

/** Writes responses at the speed of the client. A slow client delays the writer and is never disconnected. */
export class ResponseWriter {
  private isGone = false;
  private readonly whenGone = new Set<() => void>();

  constructor(private readonly call: ReadCall) {
    for (const event of ['cancelled', 'close', 'error']) call.on(event, () => this.leave());
  }

  /** Whether the client has ended the call. */
  get closed(): boolean {
    return this.isGone || this.call.cancelled;
  }

  onClose(listener: () => void): void {
    if (this.isGone) listener();
    else this.whenGone.add(listener);
  }

  /** Sends the responses, many at once. Resolves when the next may be sent or the client has ended the call. */
  async writeAll(responses: readonly Response[]): Promise<void> {
    for (let i = 0; i < responses.length; i += AT_ONCE) await this.writeBatch(responses.slice(i, i + AT_ONCE));
  }

  /** Resolves when the next message may be written or the client has ended the call. */
  async write(response: Response): Promise<void> {
    if (this.closed || this.call.write(response)) return;
    await this.untilGone(done => this.call.once('drain', done));
  }

  private async writeBatch(responses: readonly Response[]): Promise<void> {
    if (!this.closed) await this.untilGone(done => this.call.write(new MessageBatch(responses), done));
  }

  /** Resolves when `start` has called back or the client has ended the call. */
  private untilGone(start: (done: () => void) => void): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        this.whenGone.delete(done);
        resolve();
      };
      this.whenGone.add(done);
      start(done);
    });
  }

  private leave(): void {
    this.isGone = true;
    for (const listener of this.whenGone) listener();
    this.whenGone.clear();
  }

  end(): void {
    if (!this.closed) this.call.end();
  }

  fail(error: Refusal): void {
    if (!this.closed) this.call.emit('error', error);
  }
}
