import {
  convertToCommandError,
  ErrorType,
  isCommandError,
  MaxAppendSizeExceededError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  EventStoreRefusedError,
  EventStoreUnavailableError,
  WrongExpectedRevisionError,
  type ExpectedRevision,
} from '../event-store.port.js';

/** Errors that neither waiting nor repeating resolves. */
const FINAL: ReadonlySet<string> = new Set([
  ErrorType.INVALID_ARGUMENT,
  ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED,
  ErrorType.STREAM_DELETED,
  ErrorType.UNSUPPORTED,
  ErrorType.WRONG_EXPECTED_VERSION,
]);

const DENIED =
  'EventStoreDB denies access: check user and password in EVENTSTORE_URL, and that the user may read $all and write the streams';
const UNTRUSTED = 'the certificate of EventStoreDB is not trusted: check tls and tlsCAFile in EVENTSTORE_URL';
const UNKNOWN =
  'EventStoreDB does not accept the certificate of this process: check EVENTSTORE_CERT_FILE and EVENTSTORE_KEY_FILE, or userCertFile and userKeyFile in EVENTSTORE_URL';
/** The alerts of TLS by which a server refuses the certificate of a client, or asks for one. */
const CERTIFICATE_ALERT = /alert (bad |unsupported |unknown )?(certificate|ca)\b/i;
const BAD_CERTIFICATE = /certificate|self.signed|altnames/i;

/** The client reports a discovery without a result as an ordinary Error. */
const DISCOVERY_FAILED = /^Failed to discover after/;

/** Translates an error of an append to the port's errors. */
export function translateAppendError(error: unknown, stream: string, expected: ExpectedRevision): unknown {
  if (error instanceof WrongExpectedVersionError) {
    const { actualVersion } = error;
    const actual = typeof actualVersion === 'bigint' ? Number(actualVersion) : 'no_stream';
    return new WrongExpectedRevisionError(stream, expected, actual);
  }
  if (error instanceof MaxAppendSizeExceededError) {
    return new RangeError(`an append to ${stream} has more than ${error.maxAppendSize} bytes`, { cause: error });
  }
  return translateError(error);
}

/** Translates errors of the connection, including gRPC errors, to EventStoreUnavailableError. */
export function translateError(error: unknown): unknown {
  if (error instanceof EventStoreUnavailableError || !(error instanceof Error)) return error;
  const command = convertToCommandError(error);
  if (isCommandError(command) && command.type === ErrorType.ACCESS_DENIED) return new EventStoreRefusedError(DENIED);
  if (CERTIFICATE_ALERT.test(error.message)) return new EventStoreRefusedError(`${UNKNOWN}: ${error.message}`);
  if (BAD_CERTIFICATE.test(error.message)) return new EventStoreRefusedError(`${UNTRUSTED}: ${error.message}`);
  if (isCommandError(command) && FINAL.has(command.type)) return command;
  if (!isCommandError(command) && !('code' in error) && !DISCOVERY_FAILED.test(error.message)) return error;
  return new EventStoreUnavailableError(`EventStoreDB: ${error.message || error.constructor.name}`, { cause: error });
}
