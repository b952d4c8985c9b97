/** How long a refused publication counts, because only the next one would show that it is permitted. */
const PUBLICATION_MS = 60_000;
const INBOX = '_INBOX.>';

export type RefusedOperation = 'publication' | 'subscription';

interface Refusal {
  readonly operation: RefusedOperation;
  readonly subject: string;
  seenAt: number;
}

/** Subjects on which the server refuses this user's subscriptions or publications. Inboxes, which have changing names, count as one. */
export class NatsRefusals {
  private readonly refused = new Map<string, Refusal>();

  /** Returns the subject when it was not refused before; else undefined. */
  add(operation: RefusedOperation, givenSubject: string): string | undefined {
    const subject = givenSubject.startsWith('_INBOX.') ? INBOX : givenSubject;
    const key = `${operation} ${subject}`;
    const known = this.current().some(refusal => refusal.operation === operation && refusal.subject === subject);
    this.refused.set(key, { operation, subject, seenAt: performance.now() });
    return known ? undefined : subject;
  }

  /** Returns what is refused, as sentences for people. */
  get descriptions(): readonly string[] {
    return this.current().map(({ operation, subject }) => `the ${operation} ${subject}`);
  }

  /** Returns the subjects of refused subscriptions; all inboxes are `_INBOX.>`. */
  get subscriptions(): readonly string[] {
    return this.current()
      .filter(({ operation }) => operation === 'subscription')
      .map(({ subject }) => subject);
  }

  /** Forgets refused subscriptions that the server has not refused since this time, and returns their subjects. */
  permitUnlessRefusedSince(time: number): readonly string[] {
    const permitted: string[] = [];
    for (const [key, { operation, subject, seenAt }] of this.refused) {
      if (operation !== 'subscription' || seenAt >= time) continue;
      this.refused.delete(key);
      permitted.push(subject);
    }
    return permitted;
  }

  private current(): readonly Refusal[] {
    const now = performance.now();
    for (const [key, { operation, seenAt }] of this.refused)
      if (operation === 'publication' && now - seenAt > PUBLICATION_MS) this.refused.delete(key);
    return [...this.refused.values()];
  }
}
