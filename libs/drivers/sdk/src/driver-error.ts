/**
 * `transient`: worth another try; `capacity`: no room here, another zone may have some; `permanent`: trying again cannot help;
 * `notFound`, `conflict`: the infrastructure is not as expected; `unsupported`: the driver cannot do that.
 */
export type FailureClass = 'transient' | 'capacity' | 'permanent' | 'notFound' | 'conflict' | 'unsupported';

export interface DriverErrorOptions {
  readonly cause?: unknown;
  /** What clients of the API may act on, kebab-case, e.g. `not-running`; it takes the place of one made from the class. */
  readonly code?: string;
}

/** The only error that a driver throws. The message is for people and holds no secret; the original goes into `cause`. */
export class DriverError extends Error {
  readonly code: string | undefined;

  constructor(
    readonly failure: FailureClass,
    message: string,
    options: DriverErrorOptions = {},
  ) {
    const { code, ...kept } = options;
    super(message, kept);
    this.name = 'DriverError';
    this.code = code;
  }
}
