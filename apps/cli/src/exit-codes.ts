/** The exit codes of every command. They are part of the contract with scripts. */
export const exitCodes = {
  done: 0,
  /** The API refused the request, or could not be reached. */
  refused: 1,
  /** The command line was wrong. */
  usage: 2,
  /** The state has moved since it was read or planned. */
  stale: 4,
  /** The operation, or the resource that was waited for, failed. */
  failed: 5,
  /** The time to wait is over; the work continues. */
  timeout: 6,
  /** Not signed in, or not allowed. */
  denied: 7,
  /** A plan has changes, where `--exit-code` asked for it. */
  changes: 10,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The command line cannot be understood. The message is for the user. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command ends with this code, after it has said why. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  constructor(
    readonly code: ExitCode,
    message: string,
  ) {
    super(message);
  }
}
