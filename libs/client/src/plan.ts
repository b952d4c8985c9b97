import type { Answer } from './answer.js';
import type { components } from './api.js';

export type PlanDocument = components['schemas']['Plan'];

/** What a change would do. Nothing has been changed yet. */
export class Plan<T> {
  constructor(
    /** The events, differences and steps of the change. */
    readonly data: PlanDocument,
    private readonly execute: (planToken: string) => Promise<Answer<T>>,
  ) {}

  /**
   * Makes the change exactly as planned. Throws ProblemError `plan-stale` (409) when the state has changed so that the change would do
   * something else. A second call answers as the first and changes nothing.
   */
  apply(): Promise<Answer<T>> {
    return this.execute(this.data.planToken);
  }
}
