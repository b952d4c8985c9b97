import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';

/** Messages of a call that are sent together. */
export class MessageBatch<M> {
  constructor(readonly messages: readonly M[]) {}
}

/** Sends the messages of a batch at once: one that is written after the other waits for the socket each time. */
class BatchingCall extends ServerInterceptingCall {
  override sendMessage(message: unknown, sent: () => void): void {
    if (!(message instanceof MessageBatch)) return super.sendMessage(message, sent);
    const last = message.messages.length - 1;
    message.messages.forEach((each, i) => super.sendMessage(each, i === last ? sent : () => undefined));
  }
}

/** The interceptor of a server whose handlers write batches. */
export const messageBatches: ServerInterceptor = (_method, call) => new BatchingCall(call);

/** The serializer of a method whose handler may write batches, which the interceptor has split. */
export const unbatched =
  <M>(serialize: (message: M) => Buffer) =>
  (message: M | MessageBatch<M>): Buffer => {
    if (message instanceof MessageBatch) throw new TypeError('the server has no interceptor for batches');
    return serialize(message);
  };
