import type { ExpectedReply, ExpectedRequest, ExpectedUnit, ObservedRequest } from '@stave/contracts';
import {
  lowerBound,
  omitUndefined,
  type Decision,
  type DomainEvent,
  type Observation,
  type RingView,
} from '@stave/domain';
import { conductorActor, type EventContext } from '../resources/new-events.js';
import type { Feed } from '../events/feed.js';
import type { RingFollower } from '../ring/ring-follower.js';
import { RecentChanges } from './recent-changes.js';
import { isHeldBy, type TaskRouting, type TaskSource } from './task-source.js';

export interface HealthSource<S> extends Pick<TaskSource<S>, 'model' | 'routing' | 'context'> {
  /** Returns the infrastructure that must exist; undefined while it does not exist yet or is about to change. */
  readonly expected: (id: string, state: S) => ExpectedUnit | undefined;
  /** Returns the milliseconds between two samples that something needs, of what is routed to these keys; undefined: as usual. */
  readonly samplingMs?: (isAsked: (routing: TaskRouting | undefined) => boolean) => number | undefined;
  readonly observe: (state: S, observation: Observation) => Decision<DomainEvent>;
}

const PARALLEL = 64;
/** Changes that are known one by one. Who has missed more requests all units. */
const KNOWN_CHANGES = 4_000;

const isOfKeys = (holdings: ExpectedRequest['holdings'], routing: TaskRouting | undefined, view: RingView): boolean =>
  routing !== undefined &&
  holdings.some(h => h.version === routing.version && h.key === view.keyFor(routing.group, routing.driver));

/** Reports to conductors which infrastructure is expected in their slots, and records what they observed. */
export class HealthReports<S> {
  private sorted: readonly string[] | undefined;
  private readonly changes = new RecentChanges(KNOWN_CHANGES);

  constructor(
    private readonly source: HealthSource<S>,
    private readonly ring: RingFollower,
    private readonly feed: Pick<Feed, 'position' | 'replaying' | 'onReplayed'>,
  ) {
    feed.onReplayed(() => this.changes.startAfter(feed.position));
    const outdate = (): void => {
      this.sorted = undefined;
    };
    source.model.watch({ entered: outdate, left: outdate });
  }

  /** To be called when the event at the position changed the resource or its routing. */
  changed(id: string, position: number): void {
    if (!this.feed.replaying) this.changes.note(id, position);
  }

  /**
   * Returns a page of all units in the order of ids, or what changed since the position of the request where this replica knows that and it
   * is not more than a page. Slots that the conductor does not hold any more are left out.
   */
  async expected(request: ExpectedRequest): Promise<ExpectedReply> {
    await this.ring.atLeast(request.epoch);
    const changed = request.since === undefined ? undefined : this.changes.after(request.since);
    const reply = changed && changed.length <= request.max ? this.changesOf(changed, request) : this.pageOf(request);
    const samplingMs = this.source.samplingMs?.(routing => isOfKeys(request.holdings, routing, this.ring.view));
    return { ...reply, ...omitUndefined({ samplingMs }) };
  }

  private changesOf(changed: readonly string[], request: ExpectedRequest): ExpectedReply {
    const units: ExpectedUnit[] = [];
    const gone: string[] = [];
    for (const id of changed) {
      const unit = this.unitOf(id, request);
      if (unit) units.push(unit);
      else gone.push(id);
    }
    // another replica may have come further than this one
    return { units, gone, position: Math.max(this.feed.position, request.since ?? -1) };
  }

  private pageOf(request: ExpectedRequest): ExpectedReply {
    const { after = '', max } = request;
    const { ids, feed } = this;
    const { position } = feed;
    const units: ExpectedUnit[] = [];
    for (let at = lowerBound(ids.length, i => (ids[i] ?? '') <= after); at < ids.length; at += 1) {
      const unit = this.unitOf(ids[at] ?? '', request);
      if (!unit) continue;
      if (units.length >= max) return { units, position, next: units.at(-1)?.resourceId ?? '' };
      units.push(unit);
    }
    return { units, position };
  }

  /** Returns the unit that is expected in the slots of the request. */
  private unitOf(id: string, { conductor, holdings, everySlot }: ExpectedRequest): ExpectedUnit | undefined {
    const { source, ring } = this;
    const state = source.model.get(id);
    const unit = state === undefined ? undefined : source.expected(id, state);
    if (!unit || state === undefined) return undefined;
    const routing = source.routing(id, state);
    const isAsked = everySlot
      ? isOfKeys(holdings, routing, ring.view)
      : isHeldBy({ conductor, holdings }, id, routing, ring.view);
    return isAsked ? unit : undefined;
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
