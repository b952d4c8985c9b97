import type { DomainEvent } from '@stave/domain';
import type { EventContext } from './new-events.js';
import type { Entry } from './resource-entry.js';

/** Prepares in other streams what events of a resource need before they are appended. */
export interface AppendGuard<S> {
  /**
   * Resolves when the events may be appended after the entry, with its revision as the expected one. Where they are not, the same is asked again for
   * what is decided then. Throws RefusedError.
   */
  before(id: string, entry: Entry<S>, events: readonly DomainEvent[], context: EventContext): Promise<void>;
}
