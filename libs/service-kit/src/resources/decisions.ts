import { RefusedError } from '@stave/contracts';
import type { Decision, DomainEvent, OperationStart } from '@stave/domain';

/** Returns the events of a decision. Throws RefusedError. */
export function accepted<E extends DomainEvent>(decision: Decision<E>): readonly E[] {
  if (!decision.ok) throw new RefusedError(decision.refusal);
  return decision.events;
}

/** Whether an event starts the operation. */
export const startsOperation = ({ data }: { readonly data: unknown }, operationId: string): boolean =>
  (data as { readonly operation?: OperationStart }).operation?.id === operationId;
