import { Metadata, status, type sendUnaryData, type ServerReadableStream, type ServiceError } from '@grpc/grpc-js';
import { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { AppendResp, type AppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { EventStore } from '@stave/platform';
import { BadRequestError, grpcError } from './grpc-error.js';
import { expectedOf, MAX_APPEND_BYTES, runAllowed, type AppendOutcome, type WireExpected } from './run-append.js';
import type { ServerFaults } from './server-faults.js';
import type { Access } from './server-users.js';

/** Serves Streams/Append: one message with the options, then one message for each event. */
export function appendHandler(store: EventStore, faults: ServerFaults, access?: Access) {
  return (call: ServerReadableStream<AppendReq, AppendResp>, done: sendUnaryData<AppendResp>): void => {
    const refused = faults.refusal(call.metadata) ?? access?.users.unknown(call.metadata);
    if (refused) return done(refused);
    let options: AppendReq.Options | undefined;
    const messages: AppendReq.ProposedMessage[] = [];
    call.on('data', (request: AppendReq) => {
      options ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message) messages.push(message);
    });
    call.on('end', () => {
      if (!options) return done(grpcError(new BadRequestError('the first message of the append has no options')));
      const expected = expectedOf(options);
      const append = { stream: options.getStreamIdentifier(), expected, messages };
      const run = { access, metadata: call.metadata };
      void runAllowed(store, append, faults, run).then(outcome => {
        const error = refusal(outcome);
        if (error) done(error);
        else done(null, response(outcome, expected));
      });
    });
  };
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
  if (outcome.kind === 'failed') return outcome.error;
  if (outcome.kind !== 'too-large') return undefined;
  const metadata = new Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  metadata.set('maximum-append-size', String(MAX_APPEND_BYTES));
  return { code: status.INVALID_ARGUMENT, details: 'maximum append size exceeded', metadata };
}
