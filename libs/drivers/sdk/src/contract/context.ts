/** The structured log of a driver. Never pass a secret to it. */
export interface DriverLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Stores join tokens and keys in the memory of the conductor's process. The conductor removes every stored value from the messages,
 * log lines and progress of the driver. A driver that needs a secret for longer reads it from its infrastructure or keeps a store of
 * its own.
 */
export interface SecretStore {
  /** Returns the value, or undefined when there is none under this name. */
  get(name: string): Promise<string | undefined>;
  /** Stores or replaces the value. */
  put(name: string, value: string): Promise<void>;
  /** Deletes the value; succeeds when there is none. */
  delete(name: string): Promise<void>;
}

/** Identifies the task of a call, for journals and audit logs of the infrastructure. `attempt` counts from 1. */
interface TaskIdentity {
  readonly taskId: string;
  readonly attempt: number;
  readonly generation: number;
}

/** The context that the conductor passes to every call of a driver. */
export interface DriverContext {
  /** Fires when the call must stop. The driver then starts no further change and throws as soon as possible. */
  readonly signal: AbortSignal;
  readonly log: DriverLogger;
  /** Returns monotonic time in milliseconds. */
  readonly now: () => number;
  readonly secrets: SecretStore;
  /** Reports the current step, for example `start engine`; the operation shows it. The call is cheap. */
  readonly progress: (step: string) => void;
  readonly task: TaskIdentity;
  /** Throws when the session of the conductor may have ended. The driver calls it immediately before EVERY change. */
  readonly checkpoint: () => void;
}
