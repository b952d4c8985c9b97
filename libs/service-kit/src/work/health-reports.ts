import type { ExpectedReply, ExpectedRequest, ExpectedUnit, ObservedRequest } from '@stave/contracts';
import { lowerBound, type Decision, type DomainEvent, type Observation, type RingView } from '@stave/domain';
import { conductorActor, type EventContext } from '../resources/new-events.js';
import type { RingFollower } from '../ring/ring-follower.js';
import { isHeldBy, type TaskRouting, type TaskSource } from './task-source.js';

export interface HealthSource<S> extends Pick<TaskSource<S>, 'model' | 'routing' | 'context'> {
  /** Returns the infrastructure that must exist; undefined while it does not exist yet or is about to change. */
  readonly expected: (id: string, state: S) => ExpectedUnit | undefined;
  readonly observe: (state: S, observation: Observation) => Decision<DomainEvent>;
}

const PARALLEL = 64;

const isOfKeys = (holdings: ExpectedRequest['holdings'], routing: TaskRouting | undefined, view: RingView): boolean =>
  routing !== undefined &&
  holdings.some(h => h.version === routing.version && h.key === view.keyFor(routing.group, routing.driver));

/** Reports to conductors which infrastructure is expected in their slots, and records what they observed. */
export class HealthReports<S> {
  private sorted: readonly string[] | undefined;

  constructor(
    private readonly source: HealthSource<S>,
    private readonly ring: RingFollower,
  ) {
    const outdate = (): void => {
      this.sorted = undefined;
    };
    source.model.watch({ entered: outdate, left: outdate });
  }

  /** Returns a page in the order of ids. Slots that the conductor does not hold any more are left out. */
  async expected({ conductor, epoch, holdings, everySlot, after = '', max }: ExpectedRequest): Promise<ExpectedReply> {
    await this.ring.atLeast(epoch);
    const { source, ids } = this;
    const units: ExpectedUnit[] = [];
    for (let at = lowerBound(ids.length, i => (ids[i] ?? '') <= after); at < ids.length; at += 1) {
      const id = ids[at] ?? '';
      const state = source.model.get(id);
      const unit = state === undefined ? undefined : source.expected(id, state);
      const routing = unit && state !== undefined ? source.routing(id, state) : undefined;
      const isAsked = everySlot
        ? isOfKeys(holdings, routing, this.ring.view)
        : isHeldBy({ conductor, holdings }, id, routing, this.ring.view);
      if (!unit || !isAsked) continue;
      if (units.length >= max) return { units, next: units.at(-1)?.resourceId ?? '' };
      units.push(unit);
    }
    return { units };
  }

  /** Ignores observations of an ended session, and of resources that do not exist. */
  async observed({ conductor, session, observations }: ObservedRequest): Promise<object> {
    if (!this.ring.view.isLive(session)) return {};
    const { model, observe, context } = this.source;
    const observedBy = (state: S): EventContext => ({ ...context(state), actor: conductorActor(conductor) });
    const apply = async (seen: ObservedRequest['observations'][number]): Promise<void> => {
      const { resourceId: id } = seen;
      const { state } = model.entry(id) ?? (await model.load(id));
      if (state !== undefined) await model.execute(id, s => observe(s, seen), observedBy);
    };
    for (let at = 0; at < observations.length; at += PARALLEL) {
      const some = observations.slice(at, at + PARALLEL);
      await Promise.all(some.map(apply));
    }
    return {};
  }

  /** The ids of the model in order; sorted again only when ids entered or left, so that a page costs its own length. */
  private get ids(): readonly string[] {
    return (this.sorted ??= [...this.source.model.ids()].sort());
  }
}
