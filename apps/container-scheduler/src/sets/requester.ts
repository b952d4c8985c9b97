import type { RequestMeta } from '@stave/contracts';
import { actorOf } from '@stave/service-kit';

/** Returns how events and answers name who sends the request. */
export function nameOf({ actor }: RequestMeta): string {
  const { actor: id, actorName = id } = actorOf(actor);
  return actorName;
}
