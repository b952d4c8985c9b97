import { setImmediate as turn } from 'node:timers/promises';
import { omitUndefined } from '@stave/domain';
import { createInbox, type Msg, type NatsError, type Subscription } from 'nats';
import { within, type NatsLink } from './nats-connection.js';

const SERVER_ANSWER_MS = 5000;
/** Milliseconds between two attempts to make refused subscriptions again. */
const AGAIN_MS = 5000;

type Receive = (error: NatsError | null, message: Msg) => void;

/** Subscriptions of one connection. Those that the server refuses are made again until it permits them. */
export class NatsSubscriptions {
  private readonly all = new Set<NatsSubscription>();
  private readonly timer: NodeJS.Timeout;
  private busy = false;

  constructor(
    private readonly link: NatsLink,
    private readonly onError: (error: unknown, subject: string) => void,
  ) {
    this.timer = setInterval(() => void this.again(), AGAIN_MS);
    this.timer.unref();
  }

  add(subject: string, queue: string | undefined, receive: Receive): NatsSubscription {
    const made = new NatsSubscription(this.link, subject, queue, receive, () => this.all.delete(made));
    this.all.add(made);
    return made;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private async again(): Promise<void> {
    const refused = new Set(this.link.refusals.subscriptions);
    if (refused.size === 0 || this.busy || !this.link.connected) return;
    this.busy = true;
    try {
      await this.subscribeAgain(refused);
    } catch (error) {
      this.onError(error, 'refused subscriptions');
    } finally {
      this.busy = false;
    }
  }

  private async subscribeAgain(refused: ReadonlySet<string>): Promise<void> {
    const { connection, refusals, log, inbox: prefix } = this.link;
    const started = performance.now();
    for (const subscription of this.all) if (refused.has(subscription.subject)) subscription.subscribe();
    // the client makes its inbox again at the next request; one of our own shows whether it may
    const inbox = connection.subscribe(createInbox(prefix), { callback: () => undefined });
    const answered = await within(SERVER_ANSWER_MS, connection.flush());
    // the client reports refusals, which precede the answer to `flush`, in a later turn
    await turn();
    inbox.unsubscribe();
    if (!answered) return;
    const subjects = refusals.permitUnlessRefusedSince(started);
    if (subjects.length > 0) log?.info({ subjects }, 'NATS permits subscriptions again');
  }
}

class NatsSubscription {
  private current: Subscription | undefined;

  constructor(
    private readonly link: NatsLink,
    readonly subject: string,
    private readonly queue: string | undefined,
    private readonly receive: Receive,
    private readonly forget: () => void,
  ) {
    this.subscribe();
  }

  /** Subscribes, in place of a subscription that the server has refused. */
  subscribe(): void {
    if (this.current && !this.current.isClosed()) this.current.unsubscribe();
    const options = omitUndefined({ queue: this.queue, callback: this.receive });
    this.current = this.link.connection.subscribe(this.subject, options);
  }

  /** Receives no more messages. The client's drain does not wait for handlers; the caller does. */
  async leave(): Promise<void> {
    const { current, link } = this;
    this.forget();
    if (current === undefined || current.isClosed() || link.connection.isClosed()) return;
    if (!link.connected || !(await within(SERVER_ANSWER_MS, current.drain()))) current.unsubscribe();
  }
}
