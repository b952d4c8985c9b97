import type { DriverContext, DriverLogger, SecretStore } from '../driver.js';

/** Thrown by the checkpoint of a context that ends a call before its n-th change: what a crash leaves behind. */
export class SessionLost extends Error {}

export interface ContextOptions {
  readonly generation?: number;
  readonly signal?: AbortSignal;
  /** Called with the number of each checkpoint, from 1. */
  readonly atCheckpoint?: (n: number) => void;
}

/** Makes contexts, and keeps all that drivers tell: for the check that no secret is in it. */
export class ContextRecorder {
  readonly told: string[] = [];
  readonly secrets = new Map<string, string>();
  private calls = 0;

  context(options: ContextOptions = {}): DriverContext {
    let checkpoints = 0;
    this.calls += 1;
    return {
      signal: options.signal ?? new AbortController().signal,
      log: this.log,
      now: () => performance.now(),
      secrets: this.store,
      progress: step => void this.told.push(step),
      task: { taskId: `conformance-${this.calls}`, attempt: 1, generation: options.generation ?? 1 },
      checkpoint: () => options.atCheckpoint?.(++checkpoints),
    };
  }

  private readonly log: DriverLogger = {
    debug: (fields, message) => this.tell(fields, message),
    info: (fields, message) => this.tell(fields, message),
    warn: (fields, message) => this.tell(fields, message),
    error: (fields, message) => this.tell(fields, message),
  };

  private readonly store: SecretStore = {
    get: async name => this.secrets.get(name),
    put: async (name, value) => void this.secrets.set(name, value),
    delete: async name => void this.secrets.delete(name),
  };

  private tell(fields: object, message: string): void {
    const seen = JSON.stringify(fields, (_key, value: unknown) =>
      value instanceof Error ? `${value.name} ${value.message} ${value.stack ?? ''}` : value,
    );
    this.told.push(`${message} ${seen}`);
  }
}
