import { connect, ConnectionOptions, Events, NatsConnection } from 'nats';

export interface NatsOptions {
  /** One address or several, as `nats://host:port`. */
  readonly servers: string | readonly string[];
  /** Shown by the server for this connection. */
  readonly name: string;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** Told of what handlers throw, and of errors of the connection. */
  readonly onError?: (error: unknown, subject: string) => void;
  /** Told when the connection is lost and when it is back. */
  readonly onConnected?: (connected: boolean) => void;
}

function connectionOptions({ servers, name, user, pass, token }: NatsOptions): ConnectionOptions {
  return {
    servers: typeof servers === 'string' ? servers.split(',') : [...servers],
    name,
    ...(user === undefined ? {} : { user }),
    ...(pass === undefined ? {} : { pass }),
    ...(token === undefined ? {} : { token }),
    maxReconnectAttempts: -1,
    waitOnFirstConnect: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 10_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  };
}

/** A connection that knows whether it stands, so that nothing is sent into the void and kept for later. */
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

  /** Connects, waiting for the server as long as it takes; later losses are repaired for ever. Throws when refused. */
  static async open(options: NatsOptions): Promise<NatsLink> {
    const connection = await connect(connectionOptions(options));
    return new NatsLink(connection, options.onConnected ?? (() => undefined), options.onError ?? (() => undefined));
  }

  get connected(): boolean {
    return this.up && !this.connection.isClosed();
  }

  /** True as soon as the connection stands; false when it does not within `timeoutMs`. */
  async standing(timeoutMs: number): Promise<boolean> {
    if (this.connected || this.connection.isClosed()) return this.connected;
    let told: () => void = () => undefined;
    const up = new Promise<void>(resolve => {
      told = resolve;
    });
    this.waiting.add(told);
    await within(timeoutMs, up);
    this.waiting.delete(told);
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
    if (up) this.waiting.forEach(told => told());
    this.onConnected(up);
  }
}

/** True when the promise resolves within `timeoutMs`; false otherwise, whatever becomes of it. */
export async function within(timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
