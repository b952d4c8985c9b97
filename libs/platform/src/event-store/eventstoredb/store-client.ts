import { readFileSync } from 'node:fs';
import { resolve as absolute } from 'node:path';
import type { Client as GrpcClient, ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import {
  EventStoreDBClient,
  ErrorType,
  convertToCommandError,
  isCommandError,
  type AllStreamResolvedEvent,
  type ChannelCredentialOptions,
  type StreamingRead,
} from '@eventstore/db-client';
import type { ConnectionOptions } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { ReadStream } from '@eventstore/db-client/dist/streams/utils/ReadStream.js';
import { convertGrpcEvent } from '@eventstore/db-client/dist/utils/convertGrpcEvent.js';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendReq, BatchAppendResp, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import { CreateReq } from '@eventstore/db-client/generated/users_pb.js';
import { allReadRequest, allSubscriptionRequest, type AllRead, type AllSubscription } from './all-read.js';
import { BadConnectionStringError, connectionOptions } from './connection-string.js';

export type BatchAppendCall = ClientDuplexStream<BatchAppendReq, BatchAppendResp>;

/** The client of EventStoreDB, with BatchAppend as a stream, and without promises that reject unobserved. */
export class StoreClient extends EventStoreDBClient {
  /** Throws BadConnectionStringError, also when a file that the string names cannot be read. */
  static connect(connectionString: string): StoreClient {
    const options = connectionOptions(connectionString);
    const { hosts, dnsDiscover, defaultCredentials, ...rest } = options;
    const [first] = hosts;
    if (!first) throw new BadConnectionStringError('it names no host');
    const settings = dnsDiscover
      ? { ...rest, discover: first }
      : hosts.length > 1
        ? { ...rest, endpoints: hosts }
        : { ...rest, endpoint: first };
    return new StoreClient(settings as { endpoint: typeof first }, channelCredentials(options), defaultCredentials);
  }

  constructor(...args: ConstructorParameters<typeof EventStoreDBClient>) {
    super(...args);
    const { handleError } = this;
    // The client calls handleError without awaiting it. It rejects when the discovery of a leader fails; the call that
    // waits for the same discovery rejects too, and reports it.
    this.handleError = (client: GrpcClient, error: Error) => handleError(client, error).catch(() => undefined);
  }

  /** Reads events of all selected streams from the leader. */
  readSelected(read: AllRead): StreamingRead<AllStreamResolvedEvent> {
    const request = allReadRequest(read);
    const open = this.GRPCStreamCreator(StreamsClient, 'readAll', client =>
      client.read(request, ...this.callArguments({ requiresLeader: true }, { deadline: Infinity })),
    );
    return new ReadStream(open, convertGrpcEvent, {});
  }

  /**
   * Opens a subscription. Its messages arrive in the order in which the server sent them; the client's own subscription reports
   * checkpoints before the events that precede them.
   */
  subscribeSelected(subscription: AllSubscription): Promise<ClientReadableStream<ReadResp>> {
    const request = allSubscriptionRequest(subscription);
    return this.GRPCStreamCreator(StreamsClient, 'subscribeToAll', client =>
      client.read(request, ...this.callArguments({}, { deadline: Infinity })),
    )();
  }

  /**
   * Opens a BatchAppend stream to the leader and hands it to `use`. Resolves when the server ends the stream, rejects
   * with the error that ended it.
   */
  batchAppend(use: (call: BatchAppendCall) => void): Promise<void> {
    return this.execute(
      StreamsClient,
      'batchAppend',
      client =>
        new Promise<void>((resolve, reject) => {
          const call = client.batchAppend(...this.callArguments({ requiresLeader: true }, { deadline: Infinity }));
          call.on('error', reject).on('end', resolve);
          use(call);
        }),
    );
  }

  /** Creates a user without groups. Returns false when there is one with this login name. */
  async createUser(login: string, password: string, fullName: string): Promise<boolean> {
    const options = new CreateReq.Options().setLoginName(login).setPassword(password).setFullName(fullName);
    try {
      await this.execute(
        UsersClient,
        'createUser',
        client =>
          new Promise<void>((resolve, reject) => {
            const settings = this.callArguments({ requiresLeader: true });
            client.create(new CreateReq().setOptions(options), ...settings, error =>
              error ? reject(error) : resolve(),
            );
          }),
      );
      return true;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const known = convertToCommandError(error);
      if (isCommandError(known) && known.type === ErrorType.USER_CONFLICT) return false;
      throw error;
    }
  }
}

function channelCredentials(options: ConnectionOptions): ChannelCredentialOptions {
  const { tls, tlsCAFile, userCertFile, userKeyFile } = options;
  if (tls === false) return { insecure: true };
  if ((userCertFile === undefined) !== (userKeyFile === undefined))
    throw new BadConnectionStringError('userCertFile and userKeyFile must be given together');
  return {
    ...(tlsCAFile !== undefined && { rootCertificate: read('tlsCAFile', tlsCAFile) }),
    ...(userCertFile !== undefined && { userCertFile: read('userCertFile', userCertFile) }),
    ...(userKeyFile !== undefined && { userKeyFile: read('userKeyFile', userKeyFile) }),
  };
}

function read(option: string, path: string): Buffer {
  try {
    return readFileSync(absolute(path));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new BadConnectionStringError(`the file of ${option} cannot be read (${code})`);
  }
}
