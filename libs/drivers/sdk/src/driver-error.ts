/**
 * `transient`: worth another try; `capacity`: no room here, another zone may have some; `permanent`: trying again cannot help;
 * `notFound`, `conflict`: the infrastructure is not as expected; `unsupported`: the driver cannot do that.
 */
export type FailureClass = 'transient' | 'capacity' | 'permanent' | 'notFound' | 'conflict' | 'unsupported';

/** The only error that a driver throws. The message is for people and holds no secret; the original goes into `cause`. */
export class DriverError extends Error {
  constructor(
    readonly failure: FailureClass,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'DriverError';
  }
}
