import type { handleUnaryCall } from '@grpc/grpc-js';
import { ClusterInfo, EndPoint, MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import { SupportedMethod, SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { UUID, type Empty } from '@eventstore/db-client/generated/shared_pb.js';

/** The EventStoreDB release whose protocol the server implements. */
const PROTOCOL_VERSION = '23.10.0';
const STREAMS = 'event_store.client.streams.streams';
const METHODS = ['read', 'append', 'batchappend'];

/** Serves ServerFeatures/GetSupportedMethods, which clients call once to learn whether BatchAppend is available. */
export const supportedMethodsHandler: handleUnaryCall<Empty, SupportedMethods> = (_call, done) => {
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

/** Serves Gossip/Read for clients that discover the leader: a cluster of one node, which leads. */
export function gossipHandler(identity: () => NodeIdentity): handleUnaryCall<Empty, ClusterInfo> {
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
