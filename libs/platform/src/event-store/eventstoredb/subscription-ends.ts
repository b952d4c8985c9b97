const ends = new Map<string, number>();

/** Counts an end of a subscription of EventStoreDB by its reason, such as `timeout` or `unavailable`. */
export function countSubscriptionEnd(reason: string): void {
  ends.set(reason, (ends.get(reason) ?? 0) + 1);
}

/** Returns how often subscriptions of EventStoreDB have ended in this process, by reason. They were resumed. */
export const subscriptionEnds = (): ReadonlyMap<string, number> => ends;
