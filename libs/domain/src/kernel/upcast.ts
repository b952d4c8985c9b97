/** Converts the data of an event from version `from` to `from + 1`. Pure. Data that the old version lacks get their former value. */
export interface Upcaster<From = unknown, To = unknown> {
  readonly type: string;
  readonly from: number;
  upcast(data: From): To;
}

/** Thrown for an event of a newer release: this release does not know its version or, where `known` is 0, its type. */
export class NewerEventError extends Error {
  override readonly name = 'NewerEventError';

  constructor(
    readonly type: string,
    readonly version: number,
    readonly known: number,
  ) {
    const reason = known === 0 ? 'does not know this type' : `knows versions up to ${known}`;
    super(`${type} has version ${version}, but this release ${reason}; a newer release has written it`);
  }
}

/** The steps from old versions of events to the current ones. A type without steps has version 1. */
export class Upcasters {
  private readonly steps = new Map<string, readonly Upcaster[]>();

  /** Throws RangeError unless the steps of each type begin with version 1 and follow each other. */
  constructor(steps: readonly Upcaster[]) {
    for (const step of steps) {
      const before = this.steps.get(step.type) ?? [];
      if (step.from !== before.length + 1)
        throw new RangeError(`${step.type}: a step from version ${step.from} where ${before.length + 1} comes next`);
      this.steps.set(step.type, [...before, step]);
    }
  }

  /** Returns the version in which events of this type are written. */
  currentVersion(type: string): number {
    if (this.steps.size === 0) return 1; // asked for every event of the log, several times
    return (this.steps.get(type)?.length ?? 0) + 1;
  }

  /** Throws NewerEventError for a version after the current one. */
  requireKnown(type: string, version: number): void {
    const known = this.currentVersion(type);
    if (version > known) throw new NewerEventError(type, version, known);
  }

  /** Returns the data in the current version; the same object when they have it. Throws NewerEventError. */
  toCurrent<D>(type: string, version: number, data: D): D;
  toCurrent(type: string, version: number, data: unknown): unknown {
    const steps = this.steps.get(type) ?? [];
    this.requireKnown(type, version);
    return steps.slice(version - 1).reduce((said, step) => step.upcast(said), data);
  }
}

/** Every step from an old version of an event to the next one. Each event has version 1 so far; see docs/reference/events.md, "Versions". */
export const eventVersions = new Upcasters([]);
