import { status as GrpcStatus, type MethodDefinition, type ServerDuplexStream } from '@grpc/grpc-js';
import { Any } from 'google-protobuf/google/protobuf/any_pb.js';
import { Empty as GoogleEmpty } from 'google-protobuf/google/protobuf/empty_pb.js';
import type { Message } from 'google-protobuf';
import { Code } from '@eventstore/db-client/generated/code_pb.js';
import {
  AccessDenied,
  AllStreamPosition,
  BadRequest,
  MaximumAppendSizeExceeded,
  Timeout,
  Unknown,
  WrongExpectedVersion,
} from '@eventstore/db-client/generated/shared_pb.js';
import { Status } from '@eventstore/db-client/generated/status_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { BatchAppendResp, type BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventStore } from '@stave/platform';
import { MessageBatch, unbatched } from './message-batch.js';
import { expectedOf, MAX_APPEND_BYTES, runAllowed, uuidOf, type AppendOutcome } from './run-append.js';
import type { Refusal, ServerFaults } from './server-faults.js';
import type { Access } from './server-users.js';

interface Pending {
  readonly options: BatchAppendReq.Options;
  readonly messages: BatchAppendReq.ProposedMessage[];
}

type Answer = BatchAppendResp | MessageBatch<BatchAppendResp>;

type BatchCall = ServerDuplexStream<BatchAppendReq, Answer>;

const { batchAppend } = StreamsService;

/** The definition of Streams/BatchAppend whose answers may be written together. */
export const batchAppendMethod: MethodDefinition<BatchAppendReq, Answer> = {
  ...batchAppend,
  responseSerialize: unbatched<BatchAppendResp>(batchAppend.responseSerialize),
};

/** Serves Streams/BatchAppend. An append arrives in one or more messages with its correlation id, and is answered when it is durable. */
export function batchAppendHandler(store: EventStore, faults: ServerFaults, access?: Access) {
  return (call: BatchCall): void => {
    const known = (): Refusal | undefined => faults.refusal(call.metadata) ?? access?.users.unknown(call.metadata);
    const refused = faults.offersBatchAppend ? known() : unimplemented;
    if (refused) return void call.emit('error', refused);
    faults.batchStreams++;
    faults.watch(call);
    const pending = new Map<string, Pending>();
    let answers: BatchAppendResp[] = [];
    let running = 0;
    let ended = false;
    /** Sends the answers of one turn, which are those of one commit, together. */
    const flush = () => {
      const batch = new MessageBatch(answers);
      answers = [];
      if (!call.cancelled) call.write(batch);
      running -= batch.messages.length;
      endWhenDone();
    };
    const endWhenDone = () => {
      if (ended && running === 0) call.end();
    };
    call.on('data', (request: BatchAppendReq) => {
      const complete = collect(pending, request);
      if (!complete) return;
      const { appendRefusal } = faults;
      if (appendRefusal !== undefined) return void call.write(noLeader(request, appendRefusal));
      running++;
      const { options, messages } = complete;
      const append = { stream: options.getStreamIdentifier(), expected: expectedOf(options), messages };
      void runAllowed(store, append, faults, { access, metadata: call.metadata }).then(outcome => {
        if (answers.push(response(request, options, outcome)) === 1) setImmediate(flush);
      });
    });
    call.on('end', () => {
      ended = true;
      endWhenDone();
    });
  };
}

const unimplemented = { code: GrpcStatus.UNIMPLEMENTED, details: 'Service is unimplemented.' };

/** A node without a leader answers each append with an empty detail and the code OK. */
function noLeader(request: BatchAppendReq, message: string): BatchAppendResp {
  const empty = new Any();
  empty.pack(new GoogleEmpty().serializeBinary(), 'google.protobuf.Empty');
  return new BatchAppendResp()
    .setCorrelationId(request.getCorrelationId())
    .setError(new Status().setMessage(message).setDetails(empty));
}

function collect(pending: Map<string, Pending>, request: BatchAppendReq): Pending | undefined {
  const id = uuidOf(request.getCorrelationId());
  const options = request.getOptions();
  const append = pending.get(id) ?? (options ? { options, messages: [] } : undefined);
  if (!append) return undefined;
  append.messages.push(...request.getProposedMessagesList());
  pending.set(id, append);
  if (!request.getIsFinal()) return undefined;
  pending.delete(id);
  return append;
}

function response(request: BatchAppendReq, options: BatchAppendReq.Options, outcome: AppendOutcome): BatchAppendResp {
  const response = new BatchAppendResp();
  response.setCorrelationId(request.getCorrelationId());
  response.setStreamIdentifier(options.getStreamIdentifier());
  if (outcome.kind === 'success') return response.setSuccess(success(outcome.revision, outcome.position));
  return response.setError(errorStatus(outcome, options));
}

function success(revision: number | 'no_stream', position: number | undefined): BatchAppendResp.Success {
  const success = new BatchAppendResp.Success();
  if (revision === 'no_stream') success.setNoStream(new GoogleEmpty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) return success.setNoPosition(new GoogleEmpty());
  const at = new AllStreamPosition().setCommitPosition(String(position)).setPreparePosition(String(position));
  return success.setPosition(at);
}

function errorStatus(outcome: Exclude<AppendOutcome, { kind: 'success' }>, options: BatchAppendReq.Options): Status {
  switch (outcome.kind) {
    case 'conflict':
      return status(Code.FAILED_PRECONDITION, 'WrongExpectedVersion', wrongVersion(outcome.actual, options));
    case 'too-large': {
      const detail = new MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES);
      return status(Code.INVALID_ARGUMENT, 'MaximumAppendSizeExceeded', detail);
    }
    case 'failed': {
      const { code, details } = outcome.error; // gRPC and google.rpc number the codes alike
      if (code === GrpcStatus.PERMISSION_DENIED)
        return status(Code.PERMISSION_DENIED, 'AccessDenied', new AccessDenied());
      if (code === GrpcStatus.ABORTED) return status(Code.DEADLINE_EXCEEDED, 'Timeout', new Timeout());
      if (code !== Number(Code.INVALID_ARGUMENT)) return status(Number(code), 'Unknown', new Unknown(), details);
      return status(Code.INVALID_ARGUMENT, 'BadRequest', new BadRequest().setMessage(details), details);
    }
  }
}

function status(code: Code, name: string, detail: Message, message = name): Status {
  const any = new Any();
  any.pack(detail.serializeBinary(), `event_store.client.${name}`);
  return new Status().setCode(code).setMessage(message).setDetails(any);
}

function wrongVersion(actual: number | 'no_stream', options: BatchAppendReq.Options): WrongExpectedVersion {
  const wrong = new WrongExpectedVersion();
  if (actual === 'no_stream') wrong.setCurrentNoStream(new GoogleEmpty());
  else wrong.setCurrentStreamRevision(String(actual));
  const expected = expectedOf(options);
  if (expected === 'any') wrong.setExpectedAny(new GoogleEmpty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new GoogleEmpty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new GoogleEmpty());
  else wrong.setExpectedStreamPosition(String(expected));
  return wrong;
}
