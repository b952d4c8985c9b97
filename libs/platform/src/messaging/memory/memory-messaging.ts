import { fromJsonText, toJsonText } from '../json-text.js';
import {
  Election,
  MessageSubscription,
  MessageTooLargeError,
  Messaging,
  MessagingConnection,
  NoRespondersError,
  RequestTimeoutError,
} from '../messaging.port.js';
import { ServeQueue, type Answer } from '../serve-queue.js';
import { MemoryBroker, MemoryMessage, MemoryReceiver } from './memory-broker.js';

interface MemoryMessagingOptions {
  /** Called with errors of handlers, and for answers that cannot be sent. */
  readonly onError?: (error: unknown, subject: string) => void;
  /**
   * Sends and receives payloads by reference; default: the setting of the broker. This client must not change them. A
   * client without this setting never shares an object with another one.
   */
  readonly byReference?: boolean;
}

/** A payload of which each receiver gets a copy. */
class JsonText {
  constructor(readonly text: string) {}
}

/** Messaging within one process. Payloads travel as JSON text, except between clients that share them by reference. */
export class MemoryMessaging implements Messaging {
  private readonly open = new Set<{ close(): Promise<void> }>();
  private readonly pending = new Set<() => void>();
  private readonly onError: (error: unknown, subject: string) => void;
  private readonly byReference: boolean;
  private closed = false;

  constructor(
    private readonly broker: MemoryBroker = new MemoryBroker(),
    { onError = () => undefined, byReference = broker.byReference }: MemoryMessagingOptions = {},
  ) {
    this.onError = onError;
    this.byReference = byReference;
  }

  async request(subject: string, payload: unknown, { timeoutMs }: { readonly timeoutMs: number }): Promise<unknown> {
    if (this.closed) throw new NoRespondersError(subject);
    const sent = this.encode(subject, payload);
    const answer = await this.exchange(subject, sent, timeoutMs);
    if (answer.kind === 'refused') throw new NoRespondersError(subject);
    if (answer.kind === 'tooLarge') throw new MessageTooLargeError(subject, answer.bytes);
    return this.decode(subject, answer.payload);
  }

  serve(
    subject: string,
    queue: string,
    handler: (payload: unknown, subject: string) => Promise<unknown>,
    { concurrency }: { readonly concurrency?: number } = {},
  ): MessageSubscription {
    const requests = new ServeQueue<unknown>(this.onError, concurrency);
    const receive = (message: MemoryMessage): void =>
      requests.add({
        subject: message.subject,
        handle: async () =>
          this.encode(message.subject, await handler(this.decode(message.subject, message.payload), message.subject)),
        answer: answer => message.answer?.(answer),
      });
    return this.listen({ pattern: subject, queue, receive }, () => requests.drained());
  }

  publish(subject: string, payload: unknown): void {
    const sent = this.encode(subject, payload);
    if (!this.closed) this.broker.publish({ subject, payload: sent });
  }

  subscribe(subject: string, handler: (payload: unknown, subject: string) => void): MessageSubscription {
    const receive = (message: MemoryMessage): void => {
      try {
        handler(this.decode(message.subject, message.payload), message.subject);
      } catch (error) {
        this.onError(error, message.subject);
      }
    };
    return this.listen({ pattern: subject, receive }, async () => undefined);
  }

  elect(role: string, _candidate: string, onChange: (leading: boolean) => void): Election {
    const election = this.broker.elections.join(role, onChange);
    this.open.add(election);
    return election;
  }

  connection(): MessagingConnection | undefined {
    return this.closed ? undefined : { server: 'memory', upMs: Infinity };
  }

  /** The broker of a process is never away. */
  onBroken(_listener: () => void): () => void {
    return () => undefined;
  }

  async ping(): Promise<void> {
    if (this.closed) throw new NoRespondersError('ping');
  }

  flush(): Promise<void> {
    return this.broker.flush();
  }

  async close(): Promise<void> {
    await Promise.all([...this.open].map(part => part.close()));
    this.closed = true;
    for (const abandon of this.pending) abandon();
  }

  private exchange(subject: string, payload: unknown, timeoutMs: number): Promise<Answer<unknown>> {
    return new Promise((resolve, reject) => {
      const abandon = (): void => {
        clearTimeout(timer);
        this.pending.delete(abandon);
        reject(new RequestTimeoutError(subject, timeoutMs));
      };
      const answer = (given: Answer<unknown>): void => {
        clearTimeout(timer);
        this.pending.delete(abandon);
        resolve(given);
      };
      const timer = setTimeout(abandon, timeoutMs);
      this.pending.add(abandon);
      this.broker.request({ subject, payload, answer }, () => answer({ kind: 'refused' }));
    });
  }

  private listen(receiver: MemoryReceiver, drained: () => Promise<void>): MessageSubscription {
    this.broker.add(receiver);
    const subscription: MessageSubscription = {
      close: () => {
        this.broker.remove(receiver);
        this.open.delete(subscription);
        return drained();
      },
    };
    this.open.add(subscription);
    return subscription;
  }

  private encode(subject: string, payload: unknown): unknown {
    return this.byReference ? payload : new JsonText(toJsonText(subject, payload));
  }

  private decode(subject: string, payload: unknown): unknown {
    if (payload instanceof JsonText) return fromJsonText(payload.text);
    return this.byReference ? payload : fromJsonText(toJsonText(subject, payload));
  }
}
