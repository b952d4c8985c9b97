/** A fact to append: its type is past tense, its data JSON. */
export interface DomainEvent<T extends string = string, D = unknown> {
  readonly type: T;
  readonly data: D;
}

/** The events of a map from type to data: all of them, or those of the given types. */
export type EventOf<Events, Type extends keyof Events & string = keyof Events & string> = {
  [T in Type]: DomainEvent<T, Events[T]>;
}[Type];

export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** The answer of a decider: the events that follow, none when there is nothing to do, or the reason why the command is refused. */
export type Decision<E extends DomainEvent> = { readonly ok: true; readonly events: readonly E[] } | Refused;

export const accept = <E extends DomainEvent>(...events: readonly E[]): Decision<E> => ({ ok: true, events });
export const refuse = (refusal: Refusal): Refused => ({ ok: false, refusal });

/** Accepts the events, unless there is a refusal. */
export const acceptUnless = <E extends DomainEvent>(
  refusal: Refusal | undefined,
  ...events: readonly E[]
): Decision<E> => (refusal ? refuse(refusal) : accept(...events));

type RefusalKind =
  | 'invalid'
  | 'forbidden'
  | 'rule'
  | 'not-found'
  | 'conflict'
  | 'precondition'
  | 'capacity'
  | 'unsupported'
  | 'unavailable';

export interface Problem {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

/** The reason why a command was refused. `code` is stable; `detail` is for people. */
export interface Refusal {
  readonly code: string;
  readonly kind: RefusalKind;
  readonly detail: string;
  readonly errors?: readonly Problem[];
  readonly extra?: Readonly<Record<string, unknown>>;
  /** After how many milliseconds a repeat may be accepted. */
  readonly retryAfterMs?: number;
}

export const notFound = (what: string): Refusal => ({
  code: 'not-found',
  kind: 'not-found',
  detail: `${what} does not exist`,
});
export const conflict = (code: string, detail: string): Refusal => ({ code, kind: 'conflict', detail });
/** Returns one refusal for all broken rules of meaning. */
export const brokenRules = (errors: readonly Problem[]): Refusal => ({
  code: errors.length === 1 && errors[0] ? errors[0].code : 'validation-failed',
  kind: 'rule',
  detail: errors.map(e => e.detail).join('; '),
  errors,
});
/** Refuses a command whose `If-Match` names a revision that is not the current one. */
export const revisionMismatch = (expected: number, actual: number): Refusal => ({
  code: 'revision-mismatch',
  kind: 'precondition',
  detail: `the resource is at revision ${actual}, not ${expected}`,
  extra: { revision: actual },
});

/** The state of a resource, as far as it decides whether a command is accepted at all. */
interface Resource {
  readonly deleted: boolean;
  readonly deleting?: boolean;
  readonly revision: number;
}

/** Refuses a command for a resource that is deleted or not at the expected revision. `what`: such as `the cluster`. */
export function existenceRefusal(what: string, state: Resource, ifMatch?: number): Refusal | undefined {
  if (state.deleted) return notFound(what);
  return ifMatch === undefined || ifMatch === state.revision ? undefined : revisionMismatch(ifMatch, state.revision);
}

/** Refuses a change like {@link existenceRefusal}, and during the deletion of the resource. */
export const changeRefusal = (what: string, state: Resource, ifMatch?: number): Refusal | undefined =>
  existenceRefusal(what, state, ifMatch) ??
  (state.deleting ? conflict('being-deleted', `${what} is being deleted`) : undefined);

/** Refuses the cancellation of an operation that is not running any more. */
export const operationEndedRefusal = (): Refusal => conflict('operation-ended', 'the operation has ended');
