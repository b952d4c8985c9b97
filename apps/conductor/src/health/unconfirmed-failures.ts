import type { UnitObservation } from '@stave/domain';
import type { ObservedUnit } from './compare-units.js';

/** How long a state must last before it is reported, in milliseconds. States that are absent are reported at once. */
export type ConfirmAfterMs = Readonly<Partial<Record<UnitObservation['state'], number>>>;

interface UnconfirmedFailure {
  readonly generation: number;
  readonly state: UnitObservation['state'];
  readonly at: number;
}

/** Remembers since when units deviate from the expected state, so that a single observation is not reported. */
export class UnconfirmedFailures {
  private since = new Map<string, UnconfirmedFailure>();

  constructor(private readonly confirmAfterMs: ConfirmAfterMs) {}

  /** Records the deviations of one check and returns those that have lasted long enough to be reported. */
  confirm(observed: readonly ObservedUnit[], now: number): readonly ObservedUnit[] {
    const before = this.since;
    this.since = new Map(
      observed.map(({ resourceId, generation, state }) => {
        const known = before.get(resourceId);
        const isSame = known?.generation === generation && known.state === state;
        return [resourceId, isSame ? known : { generation, state, at: now }];
      }),
    );
    return observed.filter(({ resourceId, state }) => {
      const at = this.since.get(resourceId)?.at ?? now;
      return now - at >= (this.confirmAfterMs[state] ?? 0);
    });
  }

  /** Returns the milliseconds until the next deviation is due; undefined when there is none. */
  nextDueMs(now: number): number | undefined {
    const due = [...this.since.values()].map(({ state, at }) => at + (this.confirmAfterMs[state] ?? 0) - now);
    return due.length === 0 ? undefined : Math.max(0, Math.min(...due));
  }
}
