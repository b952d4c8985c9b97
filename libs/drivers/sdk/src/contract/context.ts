/** Structured log of a driver; never give it a secret. */
export interface DriverLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Where a driver may keep join tokens and keys for as long as the conductor's process lives; what is put here is cut out of all that
 * the driver tells. A driver that needs them longer reads them from its infrastructure, or keeps a store of its own.
 */
export interface SecretStore {
  get(name: string): Promise<string | undefined>;
  put(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
}

/** The task on whose behalf a call is made; a fake or an auditing infrastructure keeps it in its journal. */
export interface TaskIdentity {
  readonly taskId: string;
  readonly attempt: number;
  readonly generation: number;
}

/** Handed to every call. */
export interface DriverContext {
  /** Fires when the call must stop: start no new side effect after it and throw as soon as possible. */
  readonly signal: AbortSignal;
  readonly log: DriverLogger;
  /** Milliseconds; monotonic. */
  readonly now: () => number;
  readonly secrets: SecretStore;
  /** Names the step under way, e.g. `start engine`; shown in the operation. Cheap, may be called often. */
  readonly progress: (step: string) => void;
  readonly task: TaskIdentity;
  /**
   * Throws when the conductor's session may have ended. Call it immediately before EVERY call that changes infrastructure.
   */
  readonly checkpoint: () => void;
}
