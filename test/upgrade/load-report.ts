/** A creation that was acknowledged. */
export interface Acknowledged {
  readonly key: string;
  readonly id: string;
  readonly operation: string;
  readonly name: string;
}

/** Why an attempt has no answer below 500. */
export type Failure =
  /** The gateway answered this status. */
  | `${number}`
  /** Nobody listened at the gateway: what a load balancer routes elsewhere. */
  | 'refused'
  /** The gateway closed the connection in place of an answer. */
  | 'cut';

/** An attempt without an answer below 500. */
export interface FailedAttempt {
  readonly method: string;
  readonly path: string;
  readonly failure: Failure;
  /** Whether the same request was sent before, answered or not. */
  readonly isRepeat: boolean;
  readonly text: string;
}

/** What happened while one process was replaced, and until the load had gone on after it. */
export interface Replacement {
  readonly name: string;
  readonly failed: FailedAttempt[];
  stopMs: number;
  startMs: number;
}

/** What the load has seen. */
export class LoadReport {
  readonly acknowledged: Acknowledged[] = [];
  /** In the order of the upgrade; the first one is the time before. */
  readonly replacements: Replacement[] = [];
  readonly wrong: string[] = [];
  requests = 0;
  /** Requests that repeated an acknowledged creation with its idempotency key. */
  repeats = 0;
  /** Milliseconds of the slowest answer below 500. */
  slowestMs = 0;

  constructor() {
    this.begin('nothing');
  }

  begin(name: string): Replacement {
    const replacement = { name, failed: [], stopMs: 0, startMs: 0 };
    this.replacements.push(replacement);
    return replacement;
  }

  add(failed: FailedAttempt): void {
    this.replacements.at(-1)?.failed.push(failed);
  }

  /** Attempts of these failures, as text. */
  failed(isMeant: (failed: FailedAttempt) => boolean): readonly string[] {
    return this.replacements.flatMap(({ name, failed }) =>
      failed.filter(isMeant).map(each => `${each.method} ${each.failure}, ${name}: ${each.text}`),
    );
  }

  /** One line for each process that was replaced. */
  lines(): readonly string[] {
    return this.replacements.map(({ name, stopMs, startMs, failed }) => {
      const counts = new Map<string, number>();
      for (const { method, failure, isRepeat } of failed) {
        const kind = `${method} ${failure}${isRepeat ? ' (repeat)' : ''}`;
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
      const seen = [...counts].map(([kind, count]) => `${count} × ${kind}`).join(', ') || 'every attempt answered';
      return `${name}: stopped in ${seconds(stopMs)}, ready after ${seconds(startMs)}: ${seen}`;
    });
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
