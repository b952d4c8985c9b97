import { randomUUID } from 'node:crypto';
import { Server, ServerCredentials, type handleUnaryCall } from '@grpc/grpc-js';
import { GossipService } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import { ServerFeaturesService } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { UUID, type Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { UsersService } from '@eventstore/db-client/generated/users_grpc_pb.js';
import { listenAsSet, type EventStore } from '@stave/platform';
import { appendHandler } from './append.handler.js';
import { batchAppendHandler, batchAppendMethod } from './batch-append.handler.js';
import { readHandler } from './read.handler.js';
import { EventResponses } from './read.response.js';
import { messageBatches } from './message-batch.js';
import { readMethod } from './response-writer.js';
import { ServerFaults } from './server-faults.js';
import type { ServerUsers } from './server-users.js';
import { StoreWithSystemStreams } from './system-streams.js';

export interface EventStoreServerOptions {
  /** The address to listen on; default 127.0.0.1, because the server has no users. */
  readonly host?: string;
  /** The port to listen on; 0 or absent selects a free one. */
  readonly port?: number;
  /** PEM texts of a certificate and its private key, for TLS, and of the authority whose certificates clients need, if any; absent: no TLS. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly clientAuthority?: string };
  /**
   * The number of live events that a subscription may have undelivered before it is ended; EventStoreDB has 32. Absent: a
   * slow reader delays the server and is never disconnected.
   */
  readonly liveBuffer?: number;
  /**
   * Milliseconds between two deliveries to a live subscription: events that become durable meanwhile go together. The first event after a
   * pause is delivered at once. Default: 0.
   */
  readonly liveWindowMs?: number;
  /** The users and access lists of the server, which it keeps in memory. Absent: everybody may do everything. */
  readonly users?: ServerUsers;
  /** Behaviour of a real EventStoreDB that tests switch on. */
  readonly faults?: ServerFaults;
}

export interface EventStoreServer {
  readonly port: number;
  /** Ends all calls, including open subscriptions. The store stays open. */
  close(): Promise<void>;
}

const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;
/** The EventStoreDB release whose protocol the server implements. */
const PROTOCOL_VERSION = '23.10.0';
const STREAMS = 'event_store.client.streams.streams';
const METHODS = ['read', 'append', 'batchappend'];

/**
 * Serves a store over the part of EventStoreDB's gRPC protocol that its clients need to append (Append, BatchAppend),
 * read and subscribe. Clients connect with `esdb://<host>:<port>?tls=false`. Throws CannotListenError.
 */
export async function serveEventStore(
  store: EventStore,
  options: EventStoreServerOptions = {},
): Promise<EventStoreServer> {
  const {
    host = '127.0.0.1',
    port: wanted = 0,
    liveBuffer = Infinity,
    liveWindowMs = 0,
    faults = new ServerFaults(),
    tls,
    users,
  } = options;
  const served = users ? await StoreWithSystemStreams.over(store) : store;
  const access = users && { users, store: served };
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    interceptors: [messageBatches],
  });
  const instanceId = randomUUID();
  let port = wanted;
  server.addService(
    { ...StreamsService, read: readMethod, batchAppend: batchAppendMethod },
    {
      read: readHandler(served, { faults, liveBuffer, liveWindowMs, responses: new EventResponses() }, access),
      append: appendHandler(served, faults, access),
      batchAppend: batchAppendHandler(served, faults, access),
    },
  );
  if (users) server.addService(UsersService, { create: users.create });
  server.addService(ServerFeaturesService, { getSupportedMethods: supportedMethodsHandler });
  server.addService(GossipService, { read: gossipHandler(() => ({ instanceId, host, port })) });
  port = await listenAsSet({ host, port: wanted }, () => bind(server, `${host}:${wanted}`, credentialsOf(tls)));
  return { port, close: async () => server.forceShutdown() };
}

function credentialsOf(tls: EventStoreServerOptions['tls']): ServerCredentials {
  if (!tls) return ServerCredentials.createInsecure();
  const { certificate, key, clientAuthority } = tls;
  return ServerCredentials.createSsl(
    clientAuthority === undefined ? null : Buffer.from(clientAuthority),
    [{ cert_chain: Buffer.from(certificate), private_key: Buffer.from(key) }],
    clientAuthority !== undefined,
  );
}

function bind(server: Server, address: string, credentials: ServerCredentials): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (error, port) => {
      if (error) reject(error);
      else resolve(port);
    });
  });
}

/** Serves ServerFeatures/GetSupportedMethods. Clients call it once to find out whether BatchAppend is available. */
const supportedMethodsHandler: handleUnaryCall<Empty, SupportedMethods> = (_call, done) => {
  const supported = new SupportedMethods().setEventStoreServerVersion(PROTOCOL_VERSION);
  for (const method of METHODS)
    supported.addMethods(new SupportedMethod().setServiceName(STREAMS).setMethodName(method));
  done(null, supported);
};

interface NodeIdentity {
  readonly instanceId: string;
  readonly host: string;
  readonly port: number;
}

/** Serves Gossip/Read for clients that discover the leader: describes a cluster of one node, which is the leader. */
function gossipHandler(identity: () => NodeIdentity): handleUnaryCall<Empty, ClusterInfo> {
  return (_call, done) => {
    const { instanceId, host, port } = identity();
    const member = new MemberInfo()
      .setInstanceId(new UUID().setString(instanceId))
      .setTimeStamp(String(BigInt(Date.now()) * 10_000n))
      .setState(MemberInfo.VNodeState.LEADER)
      .setIsAlive(true)
      .setHttpEndPoint(new EndPoint().setAddress(host).setPort(port));
    const cluster = new ClusterInfo();
    cluster.addMembers(member);
    done(null, cluster);
  };
}
