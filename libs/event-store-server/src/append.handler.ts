import { Metadata, status, type sendUnaryData, type ServerReadableStream, type ServiceError } from '@grpc/grpc-js';
import { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { AppendResp, type AppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventStore } from '@stave/platform';
import { MAX_APPEND_BYTES, runAppend, type AppendOutcome } from './append.outcome.js';
import { expectedOfAppend, proposedAppend, streamNameOf, type WireExpected } from './proposed-append.js';
import { grpcError } from './grpc-error.js';

/** Serves Streams/Append: one message with the options, then one message for each event. */
export function appendHandler(store: EventStore) {
  return (call: ServerReadableStream<AppendReq, AppendResp>, done: sendUnaryData<AppendResp>): void => {
    let options: AppendReq.Options | undefined;
    const messages: AppendReq.ProposedMessage[] = [];
    call.on('data', (request: AppendReq) => {
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message) messages.push(message);
    });
    call.on('end', () => {
      if (!options) return done(grpcError(status.INVALID_ARGUMENT, 'the request has no options'));
      answer(store, options, messages, done).catch((error: unknown) => done(grpcError(status.INVALID_ARGUMENT, error)));
    });
  };
}

async function answer(
  store: EventStore,
  options: AppendReq.Options,
  messages: AppendReq.ProposedMessage[],
  done: sendUnaryData<AppendResp>,
): Promise<void> {
  const expected = expectedOfAppend(options);
  const outcome = await runAppend(
    store,
    proposedAppend(streamNameOf(options.getStreamIdentifier()), expected, messages),
  );
  const error = refusal(outcome);
  if (error) done(error);
  else done(null, response(outcome, expected));
}

function response(outcome: AppendOutcome, expected: WireExpected): AppendResp {
  const response = new AppendResp();
  if (outcome.kind === 'success') response.setSuccess(success(outcome.revision, outcome.position));
  if (outcome.kind === 'conflict') response.setWrongExpectedVersion(conflict(outcome.actual, expected));
  return response;
}

function success(revision: number | 'no_stream', position: number | undefined): AppendResp.Success {
  const success = new AppendResp.Success();
  if (revision === 'no_stream') success.setNoStream(new Empty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) return success.setNoPosition(new Empty());
  const at = new AppendResp.Position().setCommitPosition(String(position)).setPreparePosition(String(position));
  return success.setPosition(at);
}

function conflict(actual: number | 'no_stream', expected: WireExpected): AppendResp.WrongExpectedVersion {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (actual === 'no_stream') wrong.setCurrentNoStream(new Empty());
  else wrong.setCurrentRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new Empty());
  else wrong.setExpectedRevision(String(expected));
  return wrong;
}

function refusal(outcome: AppendOutcome): Partial<ServiceError> | undefined {
  switch (outcome.kind) {
    case 'too-large': {
      const metadata = new Metadata();
      metadata.set('exception', 'maximum-append-size-exceeded');
      metadata.set('maximum-append-size', String(MAX_APPEND_BYTES));
      return { ...grpcError(status.INVALID_ARGUMENT, 'maximum append size exceeded'), metadata };
    }
    case 'bad-request':
      return grpcError(status.INVALID_ARGUMENT, outcome.message);
    case 'unavailable':
      return grpcError(status.UNAVAILABLE, outcome.message);
    case 'failed':
      return grpcError(status.INTERNAL, outcome.message);
    default:
      return undefined;
  }
}
