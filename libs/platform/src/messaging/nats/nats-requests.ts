import { ErrorCode, NatsError, type Msg, type NatsConnection } from 'nats';

/** A request as the client keeps it until its answer, a refusal or the end of the connection. */
interface OpenRequest {
  readonly token: string;
  readonly requestSubject: string;
  received: number;
  resolver(error: NatsError | null, message: Msg): void;
}

/** The part of the client that gives each answer to its request. */
interface RequestTable {
  request(request: OpenRequest): unknown;
  readonly muxSubscriptions: {
    readonly baseInbox: string;
    cancel(request: OpenRequest): void;
  };
}

/**
 * Requests on one connection. The client's own `request` makes an error with a stack for each answer, two promises that it races, and a
 * random token; this uses its table of open requests, which knows what the server refuses, without them.
 */
export class NatsRequests {
  private readonly table: RequestTable;
  private serial = 0;

  constructor(private readonly connection: NatsConnection) {
    this.table = tableOf(connection);
  }

  /** Resolves to the answer. Rejects with NatsError, with the code `TIMEOUT` after the time. Throws NatsError on a closed connection. */
  send(subject: string, text: string, timeoutMs: number): Promise<Msg> {
    const { connection, table } = this;
    return new Promise((resolve, reject) => {
      const token = (this.serial += 1).toString(36);
      const request: OpenRequest = {
        token,
        requestSubject: subject,
        received: 0,
        resolver: (error, message) => {
          clearTimeout(timer);
          table.muxSubscriptions.cancel(request);
          if (error) reject(error);
          else resolve(message);
        },
      };
      const fail = (error: unknown): void => {
        clearTimeout(timer);
        table.muxSubscriptions.cancel(request);
        reject(error);
      };
      const timer = setTimeout(() => fail(NatsError.errorForCode(ErrorCode.Timeout)), timeoutMs);
      try {
        table.request(request);
        connection.publish(subject, text, { reply: `${table.muxSubscriptions.baseInbox}${token}` });
      } catch (error) {
        fail(error);
      }
    });
  }
}

function tableOf(connection: NatsConnection): RequestTable {
  const { protocol } = connection as unknown as { readonly protocol?: Partial<RequestTable> };
  if (typeof protocol?.request !== 'function' || !protocol.muxSubscriptions)
    throw new TypeError('this version of the NATS client keeps its requests elsewhere');
  return protocol as RequestTable;
}
