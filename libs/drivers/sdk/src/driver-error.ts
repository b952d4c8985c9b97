/**
 * Classifies a failure by what can be done about it. Retried with growing pauses: `transient`, a retry may succeed; `conflict`, the state
 * of the infrastructure contradicts the call; `capacity`, this zone or pool has no capacity now, so a node group also tries another zone.
 * Not retried: `permanent`, a retry cannot succeed; `notFound`, the resource does not exist on the infrastructure; `unsupported`, the
 * driver does not implement the operation.
 */
export type FailureClass = 'transient' | 'capacity' | 'permanent' | 'notFound' | 'conflict' | 'unsupported';

/**
 * The codes that say more than the class of a failed task, and that services act on or show: `image-missing`, the image does not exist
 * where it was looked for; `image-denied`, its registry refuses it to these credentials; `secret-missing`, a secret that the container
 * names does not exist; `secret-unusable`, it is shorter than 8 characters, larger than 64 KiB or no text; `plugin-missing`, the node lacks
 * a plug-in that the container needs. Of infrastructure: `quota-exceeded`, `no-valid-host` and `no-machine`, there is no room for a node
 * (class capacity); `zone-unknown`, `flavor-unknown`, `image-unknown` and `image-os-mismatch`, what was asked for does not exist there
 * (permanent); `node-not-ready`, a node never reported, and `node-reported-failure`, it reported that its set-up failed (transient). Of
 * machines: `engine-unreachable`, the engine does not answer (transient), and `engine-unsuitable`, it cannot be a node (permanent).
 */
export const failureCodes = [
  'image-missing',
  'image-denied',
  'secret-missing',
  'secret-unusable',
  'plugin-missing',
  'quota-exceeded',
  'no-valid-host',
  'no-machine',
  'zone-unknown',
  'flavor-unknown',
  'image-unknown',
  'image-os-mismatch',
  'node-not-ready',
  'node-reported-failure',
  'engine-unreachable',
  'engine-unsuitable',
] as const;
export type FailureCode = (typeof failureCodes)[number];

export const isFailureCode = (code: string | undefined): code is FailureCode =>
  failureCodes.some(known => known === code);

/** The optional parts of a DriverError. */
export interface DriverErrorOptions {
  readonly cause?: unknown;
  /** Kebab-case code for clients of the API, for example `not-running`; replaces the code that follows from the class. */
  readonly code?: string;
  /** With the code `plugin-missing`: the driver of networks or volumes that the node lacks, which others are then not placed there for. */
  readonly plugin?: string;
}

/** The only error that a driver throws. The message is shown to users and contains no secret; `cause` holds the original error. */
export class DriverError extends Error {
  readonly code: string | undefined;
  readonly plugin: string | undefined;

  constructor(
    readonly failure: FailureClass,
    message: string,
    options: DriverErrorOptions = {},
  ) {
    const { code, plugin, ...kept } = options;
    super(message, kept);
    this.name = 'DriverError';
    this.code = code;
    this.plugin = plugin;
  }
}
