import type { Channel, Client as GrpcClient, ClientDuplexStream, ClientReadableStream } from '@grpc/grpc-js';
import { omitUndefined } from '@stave/domain';
import {
  EventStoreDBClient,
  ErrorType,
  convertToCommandError,
  isCommandError,
  type ChannelCredentialOptions,
} from '@eventstore/db-client';
import type { ConnectionOptions } from '@eventstore/db-client/dist/Client/parseConnectionString.js';
import { StreamsClient, StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { BatchAppendResp, ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import { CreateReq } from '@eventstore/db-client/generated/users_pb.js';
import { allReadRequest, allSubscriptionRequest, type AllRead, type AllSubscription } from './all-read.js';
import { streamReadRequest, type StreamRead } from './stream-read.js';
import { StreamNames } from './stream-names.js';
import { ReadResponses, type ReadResponse } from './wire/read-response.js';
import type { StoreIdentity } from '../../transport/store-files.js';
import { BadConnectionStringError, connectionOptions } from './connection-string.js';
import { readNamedFiles } from './store-client-files.js';

/** The requests are encoded already. */
export type BatchAppendCall = ClientDuplexStream<Buffer, BatchAppendResp>;

export type ReadCall = ClientReadableStream<ReadResponse>;

const encoded = (request: Buffer): Buffer => request;

/** The client of EventStoreDB, with BatchAppend as a stream, and without promises that reject unobserved. */
export class StoreClient extends EventStoreDBClient {
  /** Throws BadConnectionStringError, also when a file that the string names cannot be read. */
  static connect(connectionString: string, responses = new ReadResponses(new StreamNames())): StoreClient {
    const options = connectionOptions(connectionString);
    return StoreClient.open(options, readNamedFiles(options), responses);
  }

  /** Creates a client with what its files contain. Throws BadConnectionStringError. */
  static open(options: ConnectionOptions, identity: StoreIdentity, responses: ReadResponses): StoreClient {
    const { hosts, dnsDiscover, defaultCredentials, ...rest } = options;
    const [first] = hosts;
    if (!first) throw new BadConnectionStringError('it names no host');
    const settings = dnsDiscover
      ? { ...rest, discover: first }
      : hosts.length > 1
        ? { ...rest, endpoints: hosts }
        : { ...rest, endpoint: first };
    return new StoreClient(
      responses,
      settings as { endpoint: typeof first },
      channelCredentials(options, identity),
      defaultCredentials && { ...defaultCredentials, ...omitUndefined({ password: identity.password }) },
    );
  }

  /** The channel of the next call, once a call was made. */
  private channel: Promise<Channel> | undefined;

  constructor(
    private readonly responses: ReadResponses,
    ...args: ConstructorParameters<typeof EventStoreDBClient>
  ) {
    super(...args);
    const { handleError, getChannel } = this;
    this.getChannel = () => (this.channel = getChannel());
    // The client calls handleError without awaiting it. It rejects when the discovery of a leader fails; the call that
    // waits for the same discovery rejects too, and reports it.
    this.handleError = (client: GrpcClient, error: Error) => handleError(client, error).catch(() => undefined);
  }

  /** Closes the connection as soon as the calls that are under way have ended. */
  retire(): void {
    // a channel that was never made needs no end
    this.channel?.then(
      channel => channel.close(),
      () => undefined,
    );
  }

  /** Opens a read of the events of all selected streams from the leader. */
  readSelected(read: AllRead): Promise<ReadCall> {
    return this.open('readAll', allReadRequest(read), { requiresLeader: true });
  }

  /** Opens a read of one stream from the leader. It has no entries when there is no such stream. */
  readEvents(read: StreamRead): Promise<ReadCall> {
    return this.open('readStream', streamReadRequest(read), { requiresLeader: true });
  }

  /**
   * Opens a subscription. Its messages arrive in the order in which the server sent them; the client's own subscription reports
   * checkpoints before the events that precede them.
   */
  subscribeSelected(subscription: AllSubscription): Promise<ReadCall> {
    return this.open('subscribeToAll', allSubscriptionRequest(subscription), {});
  }

  private open(name: string, request: ReadReq, options: { readonly requiresLeader?: boolean }): Promise<ReadCall> {
    const { path, requestSerialize } = StreamsService.read;
    const decode = (bytes: Buffer): ReadResponse => this.responses.decode(bytes);
    return this.GRPCStreamCreator(StreamsClient, name, client =>
      client.makeServerStreamRequest(
        path,
        requestSerialize,
        decode,
        request,
        ...this.callArguments(options, { deadline: Infinity }),
      ),
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
          const { path, responseDeserialize } = StreamsService.batchAppend;
          const settings = this.callArguments({ requiresLeader: true }, { deadline: Infinity });
          const call = client.makeBidiStreamRequest(path, encoded, responseDeserialize, ...settings);
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

function channelCredentials({ tls }: ConnectionOptions, { ca, cert, key }: StoreIdentity): ChannelCredentialOptions {
  if (tls === false) return { insecure: true };
  return {
    ...(ca !== undefined && { rootCertificate: Buffer.from(ca) }),
    ...(cert !== undefined && { userCertFile: Buffer.from(cert) }),
    ...(key !== undefined && { userKeyFile: Buffer.from(key) }),
  };
}
