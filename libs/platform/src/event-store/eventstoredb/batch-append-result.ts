import { InvalidArgumentError } from '@eventstore/db-client';
import { unpackToCommandError } from '@eventstore/db-client/dist/streams/appendToStream/unpackError.js';
import type { Status } from '@eventstore/db-client/generated/status_pb.js';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreUnavailableError } from '../event-store.port.js';

/** The result of an append. The server leaves out the position when it finds an identical earlier append. */
export interface Appended {
  readonly revision: number;
  readonly position?: number;
}

/** Returns the result of an append, or the error with which the server refused it. */
export function batchAppendResult(response: BatchAppendResp, stream: string): Appended | Error {
  const error = response.getError();
  if (error) return refusal(error, stream);
  const success = response.getSuccess();
  const position = success?.getPosition()?.getCommitPosition();
  return {
    revision: Number(success?.getCurrentRevision()),
    ...(position !== undefined && { position: Number(position) }),
  };
}

const KNOWN = new Set(
  ['WrongExpectedVersion', 'StreamDeleted', 'AccessDenied', 'Timeout', 'Unknown', 'MaximumAppendSizeExceeded'].map(
    name => `event_store.client.${name}`,
  ),
);

/** A server without a leader answers with an empty detail and the code OK, so the detail decides. */
function refusal(status: Status, stream: string): Error {
  const detail = status.getDetails()?.getTypeName() ?? '';
  if (KNOWN.has(detail)) return unpackToCommandError(status, stream);
  if (detail === 'event_store.client.BadRequest') return new InvalidArgumentError(status.getMessage());
  return new EventStoreUnavailableError(`EventStoreDB: ${status.getMessage()}`);
}
