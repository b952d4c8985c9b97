import type { DriverContext, DriverLogger, SecretStore } from '../../driver.js';
import { aDriverContext } from '../driver-context.js';

/** Thrown by the checkpoint of a context that ends a call before its n-th change, as a crash of the conductor does. */
export class SessionLost extends Error {}

export interface ContextOptions {
  readonly generation?: number;
  readonly signal?: AbortSignal;
  /** Called with the number of each checkpoint, from 1. */
  readonly atCheckpoint?: (n: number) => void;
}

/** Makes contexts, and records every log line, progress step and secret of the driver. */
export class ContextRecorder {
  readonly output: string[] = [];
  readonly secrets = new Map<string, string>();
  private calls = 0;

  context({ generation = 1, signal, atCheckpoint }: ContextOptions = {}): DriverContext {
    let checkpoints = 0;
    this.calls += 1;
    return aDriverContext({
      ...(signal && { signal }),
      log: this.log,
      secrets: this.store,
      progress: step => void this.output.push(step),
      task: { taskId: `conformance-${this.calls}`, attempt: 1, generation },
      checkpoint: () => atCheckpoint?.(++checkpoints),
    });
  }

  private readonly log: DriverLogger = {
    debug: (fields, message) => this.record(fields, message),
    info: (fields, message) => this.record(fields, message),
    warn: (fields, message) => this.record(fields, message),
    error: (fields, message) => this.record(fields, message),
  };

  private readonly store: SecretStore = {
    get: async name => this.secrets.get(name),
    put: async (name, value) => void this.secrets.set(name, value),
    delete: async name => void this.secrets.delete(name),
  };

  private record(fields: object, message: string): void {
    const seen = JSON.stringify(fields, (_key, value: unknown) =>
      value instanceof Error ? `${value.name} ${value.message} ${value.stack ?? ''}` : value,
    );
    this.output.push(`${message} ${seen}`);
  }
}
