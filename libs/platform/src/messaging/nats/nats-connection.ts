import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { ErrorCode, Events, NatsError, type NatsConnection, type Status } from 'nats';
import type { Logger } from '../../observability/logger.js';
import { MessagingRefusedError } from '../messaging.port.js';
import { isSecureNats, serversIn } from '../../transport/insecure-settings.js';
import { credentialsOf, type NatsCredentials } from './nats-credentials.js';
import { openNatsFiles, tlsOptions, type NatsFiles, type NatsFileSettings } from './nats-files.js';
import { requirePermissions, type NatsNeeds } from './nats-permissions.js';
import { NatsRefusals } from './nats-refusals.js';
import { connectThrough, type NatsTransportOptions } from './nats-transport.js';
import { webSocketOptions } from './web-socket-servers.js';

const FIRST_CONNECT_PAUSE_MS = 250;

type NatsLog = Pick<Logger, 'info' | 'warn' | 'error'>;

export interface NatsOptions extends NatsCredentials, NatsFileSettings {
  /** One or several addresses such as `nats://host:port`; with `wss://host` all of them are WebSockets over TLS. */
  readonly servers: string | readonly string[];
  /** The name of the connection that the server shows. */
  readonly name: string;
  /** The beginning of the subjects on which this process receives answers, so that permissions can keep them from others; default `_INBOX`. */
  readonly inbox?: string;
  /** What the user of this process must be permitted: tried once the server is there. */
  readonly needs?: NatsNeeds;
  /** Called with errors of handlers and of the connection. */
  readonly onError?: (error: unknown, subject: string) => void;
  /** Gets each change of the connection, and each refusal of credentials, publications and subscriptions once. */
  readonly log?: NatsLog;
}

/** The error codes with which a server refuses credentials. */
const CREDENTIALS_REFUSED: readonly string[] = [
  ErrorCode.AuthorizationViolation,
  ErrorCode.AuthenticationExpired,
  'ACCOUNT_EXPIRED',
];

/** A connection that knows whether it is up, so that messages are not buffered for later while it is down. */
export class NatsLink {
  readonly refusals = new NatsRefusals();
  private up = true;
  private upSince = performance.now();
  private readonly brokenListeners = new Set<() => void>();
  private credentialsRefused = false;
  private readonly waiting = new Set<() => void>();

  private constructor(
    readonly connection: NatsConnection,
    private readonly files: NatsFiles,
    readonly log: NatsLog | undefined,
    /** The beginning of its inboxes, which no other connection has. */
    readonly inbox: string,
    onError: (error: unknown, subject: string) => void,
  ) {
    // new files count from the next connection on, so the present one ends
    files.onChange(() => void connection.reconnect());
    this.watch().catch((error: unknown) => onError(error, 'status'));
  }

  /**
   * Connects, waits for the server without a limit, and reconnects always, also after the server has refused the
   * credentials. Throws MessagingRefusedError when it refuses them, or what the process needs, at the first connection,
   * and BadEnvironmentError for files that cannot be used.
   */
  static async open({ onError = () => undefined, log, needs, ...options }: NatsOptions): Promise<NatsLink> {
    const files = openNatsFiles(options, log);
    const inboxPrefix = `${options.inbox ?? '_INBOX'}.${randomUUID()}`;
    try {
      const own = { ...connectionOptions(options, files), inboxPrefix };
      const connection = await firstConnection(own, log);
      if (needs)
        await firstConnection({ ...own, name: `${options.name}, permissions` }, log)
          .then(tried => requirePermissions(tried, needs))
          .catch((error: unknown) => closedAfter(connection, error));
      return new NatsLink(connection, files, log, inboxPrefix, onError);
    } catch (error) {
      files.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.files.close();
    await this.connection.close();
  }

  get connected(): boolean {
    return this.up && !this.connection.isClosed();
  }

  /** Milliseconds since the connection is up. */
  get upMs(): number {
    return performance.now() - this.upSince;
  }

  /** Calls the listener whenever the connection breaks. The returned function removes it. */
  onBroken(listener: () => void): () => void {
    this.brokenListeners.add(listener);
    return () => this.brokenListeners.delete(listener);
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
    for await (const status of this.connection.status()) {
      if (status.type === Events.Disconnect) this.set(false);
      if (status.type === Events.Reconnect) this.set(true);
      if (status.type === Events.Error) this.hearError(status);
    }
  }

  private hearError({ data, permissionContext }: Status): void {
    if (data === ErrorCode.PermissionsViolation) {
      const isSubscription = permissionContext?.operation === 'subscription';
      this.hearRefusal(isSubscription ? 'subscription' : 'publication', permissionContext?.subject ?? 'of a reply');
    } else if (CREDENTIALS_REFUSED.includes(String(data)) && !this.credentialsRefused) {
      this.credentialsRefused = true;
      this.log?.error({ reason: data }, `${REFUSED_CREDENTIALS}; trying again until it takes them`);
    }
  }

  private hearRefusal(operation: 'subscription' | 'publication', subject: string): void {
    const refused = this.refusals.add(operation, subject);
    if (refused) this.log?.error({ subject: refused }, `NATS refuses the ${operation}: check this user's permissions`);
  }

  private set(up: boolean): void {
    if (this.up === up) return;
    this.up = up;
    if (up) {
      this.credentialsRefused = false;
      this.upSince = performance.now();
      this.waiting.forEach(notify => notify());
    } else this.brokenListeners.forEach(notify => notify());
    this.log?.info({ connected: up }, 'connection to NATS');
  }
}

const REFUSED_CREDENTIALS =
  'NATS refuses the credentials: check NATS_USER, NATS_PASSWORD, NATS_PASSWORD_FILE, NATS_TOKEN, NATS_TOKEN_FILE, NATS_CERT_FILE and NATS_NKEY_FILE';

function connectionOptions(
  { servers, name, ...credentials }: Omit<NatsOptions, 'log' | 'onError' | 'needs'>,
  files: NatsFiles,
): NatsTransportOptions {
  const all = serversIn(servers);
  const webSocket = webSocketOptions(all, files);
  const tls = webSocket ? undefined : tlsOptions(files, all.some(isSecureNats));
  return {
    servers: [...all],
    // without it the client uses TLS only if the server asks for it
    ...(tls && { tls }),
    ...webSocket,
    name,
    authenticator: credentialsOf(credentials, files),
    maxReconnectAttempts: -1,
    // the client's default closes the connection for good when the credentials are refused twice in a row
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    reconnectJitter: 250,
    pingInterval: 10_000,
    maxPingOut: 2,
    noAsyncTraces: true,
  };
}

/** Waits for a server without a limit. Throws when it refuses the credentials or the options are malformed. */
async function firstConnection(options: NatsTransportOptions, log: NatsLog | undefined): Promise<NatsConnection> {
  let reported: string | undefined;
  for (;;) {
    try {
      return await connectThrough(options);
    } catch (error) {
      const code = codeOf(error);
      if (CREDENTIALS_REFUSED.includes(code)) throw new MessagingRefusedError(REFUSED_CREDENTIALS, { cause: error });
      if (error instanceof TypeError || code === ErrorCode.InvalidOption) throw error;
      if (reported !== code) log?.warn({ err: error }, 'waiting for NATS');
      reported = code;
      await pause(FIRST_CONNECT_PAUSE_MS * (1 + Math.random()));
    }
  }
}

async function closedAfter(connection: NatsConnection, error: unknown): Promise<never> {
  await connection.close();
  throw error;
}

const codeOf = (error: unknown): string =>
  error instanceof NatsError ? error.code : String(Object(error).code ?? error);

/** Resolves to true when the promise resolves within `timeoutMs`, else to false. */
export function within(timeoutMs: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    promise.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
