import { omitUndefined } from '@stave/domain';
import { connect, Events, NatsConnection } from 'nats';

export interface NatsOptions {
  /** One or several addresses such as `nats://host:port`. */
  readonly servers: string | readonly string[];
  /** The name of the connection that the server shows. */
  readonly name: string;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** Called with errors of handlers and of the connection. */
  readonly onError?: (error: unknown, subject: string) => void;
  /** Called when the connection is lost and when it is restored. */
  readonly onConnected?: (connected: boolean) => void;
}

/** A connection that knows whether it is up, so that messages are not buffered for later while it is down. */
export class NatsLink {
  private up = true;
  private readonly waiting = new Set<() => void>();

  private constructor(
    readonly connection: NatsConnection,
    private readonly onConnected: (connected: boolean) => void,
    onError: (error: unknown, subject: string) => void,
  ) {
    this.watch().catch((error: unknown) => onError(error, 'status'));
  }

  /** Connects, waits for the server without a limit, and reconnects always. Throws when the server refuses. */
  static async open({ servers, name, user, pass, token, ...listeners }: NatsOptions): Promise<NatsLink> {
    const { onConnected = () => undefined, onError = () => undefined } = listeners;
    const connection = await connect({
      servers: typeof servers === 'string' ? servers.split(',') : [...servers],
      name,
      ...omitUndefined({ user, pass, token }),
      maxReconnectAttempts: -1,
      waitOnFirstConnect: true,
      reconnectTimeWait: 250,
      reconnectJitter: 250,
      pingInterval: 10_000,
      maxPingOut: 2,
      noAsyncTraces: true,
    });
    return new NatsLink(connection, onConnected, onError);
  }

  get connected(): boolean {
    return this.up && !this.connection.isClosed();
  }

  /** Resolves to true when the connection is up, or to false when it is not within `timeoutMs`. */
  async untilConnected(timeoutMs: number): Promise<boolean> {
    if (!this.connected && !this.connection.isClosed()) {
      let notify: () => void = () => undefined;
      await within(timeoutMs, new Promise<void>(resolve => this.waiting.add((notify = resolve))));
      this.waiting.delete(notify);
    }
    return this.connected;
  }

  private async watch(): Promise<void> {
    for await (const { type } of this.connection.status()) {
      if (type === Events.Disconnect) this.set(false);
      if (type === Events.Reconnect) this.set(true);
    }
  }

  private set(up: boolean): void {
    if (this.up === up) return;
    this.up = up;
    if (up) this.waiting.forEach(notify => notify());
    this.onConnected(up);
  }
}

/** Resolves to true when the promise resolves within `timeoutMs`, else to false. */
export function within(timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
