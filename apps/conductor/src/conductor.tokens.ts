import type { LoadedDriver } from '@stave/driver-sdk';

export const MESSAGING = Symbol('Messaging');
export const SECRET_FILES = Symbol('SecretFiles');
export const DRIVER_POOL_OPTIONS = Symbol('DriverPoolOptions');

export interface DriverPoolOptions {
  readonly loaded: readonly LoadedDriver[];
  /** The drivers that the operator named, with or without version. */
  readonly enabledByOperator: readonly string[];
  readonly dataDir: string;
  /** Passed to the drivers. */
  readonly env: Readonly<Record<string, string | undefined>>;
}
