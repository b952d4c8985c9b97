import type { Refusal } from './refusal.js';

/** A fact to append: its type is past tense, its data JSON. */
export interface DomainEvent<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** What a decider answers: the events that follow (none: nothing to do), or why not. */
export type Decision<E extends DomainEvent> =
  { readonly ok: true; readonly events: readonly E[] } | { readonly ok: false; readonly refusal: Refusal };

export const accept = <E extends DomainEvent>(...events: readonly E[]): Decision<E> => ({ ok: true, events });
export const refuse = (refusal: Refusal): { readonly ok: false; readonly refusal: Refusal } => ({ ok: false, refusal });
