import type { ExpectedReply, ExpectedRequest, ExpectedUnit, ObservedRequest } from '@stave/contracts';
import type { Decision, DomainEvent, Observation } from '@stave/domain';
import type { RingFollower } from '../ring/ring-follower.js';
import { SortedIds } from '../read-models/sorted-ids.js';
import type { TaskSource } from './task-source.js';

/** How one resource type takes part in the watch over the infrastructure. */
export interface HealthSource<S> extends Pick<TaskSource<S>, 'model' | 'place' | 'context'> {
  /** undefined while its infrastructure is not there or about to change. */
  readonly expected: (id: string, state: S) => ExpectedUnit | undefined;
  readonly observe: (state: S, observation: Observation) => Decision<DomainEvent>;
}

const PARALLEL = 64;

/** Reports to conductors what should stand in their slots, and takes in what they found otherwise. */
export class HealthReports<S> {
  private readonly sorted: SortedIds;

  constructor(
    private readonly source: HealthSource<S>,
    private readonly ring: RingFollower,
  ) {
    this.sorted = new SortedIds(source.model);
  }

  /** In the order of ids; what a conductor asks for that does not hold the slots any more is not there. */
  async expected({ conductor, epoch, holdings, after = '', max }: ExpectedRequest): Promise<ExpectedReply> {
    await this.ring.atLeast(epoch);
    const ids = this.sorted.all();
    const units: ExpectedUnit[] = [];
    for (let at = this.sorted.after(after); at < ids.length; at += 1) {
      const id = ids[at] ?? '';
      const unit = this.unitIn(id, conductor, holdings);
      if (!unit) continue;
      if (units.length >= max) return { units, next: units.at(-1)?.resourceId ?? '' };
      units.push(unit);
    }
    return { units };
  }

  /** Nothing from a session that is over. */
  async observed({ session, observations }: ObservedRequest): Promise<object> {
    if (!this.ring.view.isLive(session)) return {};
    const { model, observe, context } = this.source;
    for (let at = 0; at < observations.length; at += PARALLEL) {
      const some = observations.slice(at, at + PARALLEL);
      await Promise.all(some.map(seen => model.execute(seen.resourceId, state => observe(state, seen), context)));
    }
    return {};
  }

  private unitIn(id: string, conductor: string, holdings: ExpectedRequest['holdings']): ExpectedUnit | undefined {
    const state = this.source.model.get(id);
    const unit = state === undefined ? undefined : this.source.expected(id, state);
    const place = unit && state !== undefined ? this.source.place(id, state) : undefined;
    if (!place) return undefined;
    const { view } = this.ring;
    const key = view.keyFor(place.group, place.driver);
    const asked = holdings.some(holding => holding.key === key && holding.version === place.version);
    return asked && view.ownerOf(key, place.version, id) === conductor ? unit : undefined;
  }
}
