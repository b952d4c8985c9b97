export type WriteKind = 'create' | 'patch' | 'resize' | 'delete';

/** One request with an idempotency key of its own, and the event that is its effect. */
export interface Write {
  readonly key: string;
  readonly kind: WriteKind;
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
  readonly effect: ExpectedEvent;
}

/** The event of the type that a write appends exactly once. */
export interface ExpectedEvent {
  readonly category: string;
  readonly type: string;
  /** What its data must contain. */
  readonly data: object;
}

export interface AcknowledgedWrite extends Write {
  /** The resource that the answer named. */
  readonly resourceId: string;
}

/** What a read must show of a resource after all its writes; `shows` is undefined for one that was deleted. */
export interface ExpectedResource {
  readonly type: string;
  readonly id: string;
  readonly path: string;
  readonly shows: object | undefined;
}

/** Sends a write until it is acknowledged, and returns the id of the resource. */
export type SendWrite = (write: Write) => Promise<string>;

/** A source of numbers in [0, 1). */
export type Random = () => number;

/** Returns a whole number from `least` to `most`. */
export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));
