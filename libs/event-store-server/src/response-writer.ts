import { once } from 'node:events';
import {
  ServerInterceptingCall,
  type MethodDefinition,
  type ServerInterceptor,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { Refusal } from './server-faults.js';
import type { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';

/** Each response can have a megabyte. */
const AT_ONCE = 64;

/** A response of Streams/Read, or one that is encoded already. */
export type Response = ReadResp | Buffer;

/** Responses that are sent together. */
class ResponseBatch {
  constructor(readonly responses: readonly Response[]) {}
}

export type ReadCall = ServerWritableStream<ReadReq, Response | ResponseBatch>;

const { read } = StreamsService;

/** The definition of Streams/Read whose responses may be encoded already. */
export const readMethod: MethodDefinition<ReadReq, Response | ResponseBatch> = {
  ...read,
  responseSerialize: response => {
    if (response instanceof ResponseBatch) throw new TypeError('the server has no interceptor for batches');
    return Buffer.isBuffer(response) ? response : read.responseSerialize(response);
  },
};

/** Sends the responses of a batch at once: one that is sent after the other waits for the socket each time. */
class BatchedCall extends ServerInterceptingCall {
  override sendMessage(message: unknown, sent: () => void): void {
    if (!(message instanceof ResponseBatch)) return super.sendMessage(message, sent);
    const last = message.responses.length - 1;
    message.responses.forEach((response, i) => super.sendMessage(response, i === last ? sent : () => undefined));
  }
}

/** The interceptor that a server of `readMethod` needs. */
export const batchedResponses: ServerInterceptor = (_method, call) => new BatchedCall(call);

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

  /** Sends the responses, many at once. Resolves when the next may be sent or the client has ended the call. */
  async writeAll(responses: readonly Response[]): Promise<void> {
    for (let i = 0; i < responses.length; i += AT_ONCE) await this.writeBatch(responses.slice(i, i + AT_ONCE));
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

  private async writeBatch(responses: readonly Response[]): Promise<void> {
    if (this.closed) return;
    const { signal } = this.gone;
    await new Promise<void>(resolve => {
      const done = (): void => {
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.call.write(new ResponseBatch(responses), done);
    });
  }

  end(): void {
    if (!this.closed) this.call.end();
  }

  fail(error: Refusal): void {
    if (!this.closed) this.call.emit('error', error);
  }
}
