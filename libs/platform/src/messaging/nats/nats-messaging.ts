import { headers, Msg, NatsError, ErrorCode } from 'nats';
import { fromJsonText, toJsonText } from '../json-text.js';
import {
  Election,
  MessageSubscription,
  MessageTooLargeError,
  Messaging,
  MessagingConnection,
  MessagingRefusedError,
  NoRespondersError,
  RequestTimeoutError,
} from '../messaging.port.js';
import { ServeQueue, type Answer } from '../serve-queue.js';
import { NatsLink, NatsOptions, within } from './nats-connection.js';
import { NatsRequests } from './nats-requests.js';
import { NatsSubscriptions } from './nats-subscriptions.js';
import { Outbox } from './outbox.js';
import { PeerElection } from './peer-election.js';

/** The header that states why an answer is missing: `refused`, or the size of an answer that exceeds the limit. */
const FAILURE_HEADER = 'Stave-Failure';
const REFUSED = 'refused';
const SERVER_ANSWER_MS = 5000;

/** Messaging on NATS core. While the connection is down, requests wait up to their deadline; messages published meanwhile are lost. */
export class NatsMessaging implements Messaging {
  private readonly open = new Set<{ close(): Promise<void> }>();
  private readonly subscriptions: NatsSubscriptions;
  private readonly outbox: Outbox;
  private readonly requests: NatsRequests;
  private closing = false;

  private constructor(
    private readonly link: NatsLink,
    private readonly onError: (error: unknown, subject: string) => void = () => undefined,
  ) {
    this.subscriptions = new NatsSubscriptions(link, onError);
    this.requests = new NatsRequests(link.connection);
    this.outbox = new Outbox(error => onError(error, 'outbox'));
  }

  static async connect(options: NatsOptions): Promise<NatsMessaging> {
    return new NatsMessaging(await NatsLink.open(options), options.onError);
  }

  async request(subject: string, payload: unknown, { timeoutMs }: { readonly timeoutMs: number }): Promise<unknown> {
    const text = toJsonText(subject, payload);
    const deadline = performance.now() + timeoutMs;
    if (!(await this.link.untilConnected(timeoutMs))) throw new NoRespondersError(subject);
    const timeout = Math.max(1, deadline - performance.now());
    const answer = await this.send(subject, text, timeout).catch((error: unknown) => {
      throw requestError(error, subject, timeoutMs);
    });
    const failure = answer.headers?.get(FAILURE_HEADER);
    if (failure === REFUSED) throw new NoRespondersError(subject);
    if (failure) throw new MessageTooLargeError(subject, Number(failure));
    return fromJsonText(answer.string());
  }

  serve(
    subject: string,
    queue: string,
    handler: (payload: unknown, subject: string) => Promise<unknown>,
    { concurrency }: { readonly concurrency?: number } = {},
  ): MessageSubscription {
    const requests = new ServeQueue<string>(this.onError, concurrency);
    const receive = (message: Msg): void =>
      requests.add({
        subject: message.subject,
        handle: async () => toJsonText(message.subject, await handler(fromJsonText(message.string()), message.subject)),
        answer: answer => this.answer(message, answer),
      });
    return this.listen(subject, queue, receive, () => requests.drained());
  }

  publish(subject: string, payload: unknown): void {
    const text = toJsonText(subject, payload);
    this.outbox.post(() => {
      if (this.link.connected) this.link.connection.publish(subject, text);
    });
  }

  subscribe(subject: string, handler: (payload: unknown, subject: string) => void): MessageSubscription {
    return this.listen(subject, undefined, message => handler(fromJsonText(message.string()), message.subject));
  }

  elect(role: string, candidate: string, onChange: (leading: boolean) => void): Election {
    const notify = (leading: boolean): void => this.guarded(`stave.elect.${role}`, () => onChange(leading));
    const election = new PeerElection(this, role, candidate, notify);
    this.open.add(election);
    return election;
  }

  connection(): MessagingConnection | undefined {
    const { link } = this;
    return link.connected ? { server: link.connection.info?.server_id ?? '', upMs: link.upMs } : undefined;
  }

  onBroken(listener: () => void): () => void {
    return this.link.onBroken(listener);
  }

  async ping(): Promise<void> {
    if (!this.link.connected) throw new NoRespondersError('ping');
    await this.flush();
    const refused = this.link.refusals.descriptions;
    if (refused.length > 0) throw new MessagingRefusedError(`NATS refuses ${refused.join(', ')}`);
  }

  async flush(): Promise<void> {
    const { connection } = this.link;
    this.outbox.flush();
    if (connection.isClosed()) return;
    if (!(await within(SERVER_ANSWER_MS, connection.flush()))) throw new RequestTimeoutError('flush', SERVER_ANSWER_MS);
  }

  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.subscriptions.close();
    await Promise.all([...this.open].map(part => part.close()));
    this.outbox.flush();
    if (this.link.connected) await within(SERVER_ANSWER_MS, this.link.connection.flush());
    await this.link.close();
  }

  private send(subject: string, text: string, timeout: number): Promise<Msg> {
    return new Promise((resolve, reject) =>
      this.outbox.post(() => this.requests.send(subject, text, timeout).then(resolve, reject)),
    );
  }

  private answer(message: Msg, answer: Answer<string>): void {
    if (message.reply) this.outbox.post(() => this.respond(message, answer));
  }

  private respond(message: Msg, answer: Answer<string>): void {
    if (!this.link.connected) return;
    if (answer.kind === 'reply') return void message.respond(answer.payload);
    const failed = headers();
    failed.set(FAILURE_HEADER, answer.kind === 'refused' ? REFUSED : String(answer.bytes));
    message.respond('', { headers: failed });
  }

  private listen(
    subject: string,
    queue: string | undefined,
    receive: (message: Msg) => void,
    drained: () => Promise<void> = async () => undefined,
  ): MessageSubscription {
    const subscription = this.subscriptions.add(subject, queue, (error, message) => {
      if (error === null) this.guarded(subject, () => receive(message));
      // the link has logged a refusal, and the subscription is made again
      else if (!error.isPermissionError()) this.onError(error, subject);
    });
    const registered: MessageSubscription = {
      close: async () => {
        this.open.delete(registered);
        await subscription.leave();
        await drained();
      },
    };
    this.open.add(registered);
    return registered;
  }

  private guarded(subject: string, act: () => void): void {
    try {
      act();
    } catch (error) {
      this.onError(error, subject);
    }
  }
}

/** Errors after which it is unknown whether a request was handled. */
const UNKNOWN_OUTCOME: readonly string[] = [
  ErrorCode.Timeout,
  ErrorCode.ConnectionClosed,
  ErrorCode.Disconnect,
  ErrorCode.Cancelled,
];

function requestError(error: unknown, subject: string, timeoutMs: number): unknown {
  if (!(error instanceof NatsError)) return error;
  if (error.code === ErrorCode.NoResponders || isPublicationRefused(error)) return new NoRespondersError(subject);
  const isUnknown = UNKNOWN_OUTCOME.includes(error.code) || error.isPermissionError();
  return isUnknown ? new RequestTimeoutError(subject, timeoutMs) : error;
}

/** Whether the server did not take the request; a refused inbox only keeps its answer away. */
const isPublicationRefused = (error: NatsError): boolean =>
  error.isPermissionError() && error.permissionContext?.operation === 'publish';
