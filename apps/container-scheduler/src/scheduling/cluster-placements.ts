import { RefusedError } from '@stave/contracts';
import {
  getOrCreate,
  placementStream,
  type AwaitedRemoval,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type Decision,
} from '@stave/domain';
import { idOf, WrongExpectedRevisionError, type EventStore, type RecordedEvent } from '@stave/platform';
import { abandonChange, newEvents, PerKeyQueue, UnknownEvents, type EventContext } from '@stave/service-kit';
import { SnapshotChanges } from './snapshot-changes.js';
import { noneTouched, touch, type TouchedByPlacement } from './touched-by-placement.js';

interface Entry {
  readonly state: ClusterPlacement;
  revision: number;
}

type Decide = (state: ClusterPlacement) => Decision<ClusterPlacementEvent>;

const ATTEMPTS = 20;

/**
 * The placement stream of each cluster, folded in memory. States are large and change in place: each event is applied once, by its
 * revision, and the appends to one stream follow each other.
 */
export class ClusterPlacements {
  private readonly entries = new Map<string, Entry>();
  private readonly unknown = new UnknownEvents(placementStream.category);
  readonly folded = { entries: { save: () => this.saved(), restore: (saved: unknown) => this.restore(saved) } };
  private readonly queue = new PerKeyQueue();
  /** Of every cluster whose stream has no event. */
  private readonly nothing = placementStream.initial;
  private readonly touched = new Map<string, TouchedByPlacement>();
  readonly unfolded = ['entries', 'queue', 'nothing', 'touched', 'changes'];

  constructor(
    private readonly store: EventStore,
    private readonly changes = new SnapshotChanges(),
    private readonly now: () => string = () => new Date().toISOString(),
  ) {}

  /** Returns the state as far as this process knows it; callers must not change it. */
  get(clusterId: string): ClusterPlacement {
    return this.entry(clusterId).state;
  }

  /**
   * As `get`, to be read at once: the object shows no later event where there is none yet. A state takes some kilobytes, and most clusters that
   * are asked for in a fleet without containers never have an event.
   */
  seen(clusterId: string): ClusterPlacement {
    return this.known(clusterId) ?? this.nothing;
  }

  /** As `get`; undefined where this process knows no event of the stream. */
  known(clusterId: string): ClusterPlacement | undefined {
    return this.entries.get(clusterId)?.state;
  }

  /** Forgets a cluster that is deleted. */
  forget(clusterId: string): void {
    this.entries.delete(clusterId);
    this.touched.delete(clusterId);
  }

  /** Forgets a node that is deleted and has no reservations. */
  forgetNode(clusterId: string, nodeId: string): void {
    const { ledger, completedEvictions, failedEvictions, delayedEvictions, unneeded } =
      this.entries.get(clusterId)?.state ?? {};
    unneeded?.delete(nodeId);
    ledger?.closed.delete(nodeId);
    ledger?.awaited.delete(nodeId);
    completedEvictions?.delete(nodeId);
    failedEvictions?.delete(nodeId);
    delayedEvictions?.delete(nodeId);
  }

  revision(clusterId: string): number {
    return this.entry(clusterId).revision;
  }

  apply(event: RecordedEvent): void {
    // an event after the end of a stream that was forgotten
    if (event.revision > 0 && !this.entries.has(idOf(event))) return;
    const entry = this.entry(idOf(event));
    if (event.revision > entry.revision) this.fold(idOf(event), entry, event);
  }

  /** Returns what events have changed since the last call: containers with other reservations, networks and volumes with other users. */
  takeTouched(clusterId: string): TouchedByPlacement {
    const touched = this.touched.get(clusterId);
    this.touched.delete(clusterId);
    return touched ?? noneTouched();
  }

  /** Reads the stream, so that the state is current. */
  refresh(clusterId: string): Promise<void> {
    return this.queue.run(clusterId, () => this.readFurther(clusterId, this.entry(clusterId)));
  }

  /** Takes the place of what nodes were closed for and what was not appended. Resolves to false where another event is there. */
  abandon({ stream, after }: AwaitedRemoval, context: EventContext): Promise<boolean> {
    return abandonChange(this.store, { stream, after }, context);
  }

  private async readFurther(clusterId: string, entry: Entry): Promise<void> {
    const stream = `${placementStream.category}-${clusterId}`;
    for (const event of await this.store.readStream(stream, { from: entry.revision + 1 })) {
      this.unknown.note(event);
      if (event.revision > entry.revision) this.fold(clusterId, entry, event);
    }
  }

  /** Decides on the current state and appends the events at once; decides again after a conflict. Throws RefusedError. */
  append(clusterId: string, decide: Decide, context: EventContext): Promise<void> {
    return this.queue.run(clusterId, () => this.execute(clusterId, decide, context));
  }

  private async execute(clusterId: string, decide: Decide, context: EventContext): Promise<void> {
    const stream = `${placementStream.category}-${clusterId}`;
    for (let attempt = 0; ; attempt++) {
      this.unknown.requireNone(stream);
      const decision = decide(this.seen(clusterId));
      if (!decision.ok) throw new RefusedError(decision.refusal);
      const { events } = decision;
      if (events.length === 0) return;
      const entry = this.entry(clusterId);
      const after = entry.revision;
      if (context.admission && !(await context.admission.admits({ stream, after, events }))) return;
      try {
        const appended = newEvents(stream, after, events, context, this.now());
        await this.store.append(stream, appended, after < 0 ? 'no_stream' : after);
        events.forEach((event, i) => {
          // the feed may have applied it already
          if (after + 1 + i > entry.revision) this.fold(clusterId, entry, { ...event, revision: after + 1 + i });
        });
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError) || attempt >= ATTEMPTS) throw error;
        await this.readFurther(clusterId, entry);
      }
    }
  }

  private fold(
    clusterId: string,
    entry: Entry,
    { type, data, revision }: Pick<RecordedEvent, 'type' | 'data' | 'revision'>,
  ): void {
    const event = { type, data } as ClusterPlacementEvent;
    touch(getOrCreate(this.touched, clusterId, noneTouched), event, entry.state);
    this.note(clusterId, event);
    // the state is changed in place
    placementStream.evolve(entry.state, event, '');
    entry.revision = revision;
  }

  /** Notes for the snapshot what a reservation, or the state of a node, changes. */
  private note(clusterId: string, { type, data }: ClusterPlacementEvent): void {
    const changes = this.changes.in(clusterId);
    if (!changes) return;
    if (type === 'PlacementsReserved') for (const { containerId } of data.placements) changes.container(containerId);
    if (type === 'PlacementsReleased' || type === 'VolumeDetached')
      for (const id of data.containerIds) changes.container(id);
    if (type === 'PlacementResized') changes.container(data.containerId);
    if (type === 'PlacementNodesClosed') for (const id of data.nodeIds) changes.node(id);
    if (type === 'PlacementNodeClosed' || type === 'PlacementNodeOpened') changes.node(data.nodeId);
  }

  private entry(clusterId: string): Entry {
    const known = this.entries.get(clusterId);
    if (known) return known;
    const entry: Entry = { state: placementStream.initial, revision: -1 };
    this.entries.set(clusterId, entry);
    return entry;
  }

  /** Returns copies, since the states change in place. */
  private saved(): ReadonlyMap<string, Entry> {
    return structuredClone(this.entries);
  }

  private restore(saved: unknown): void {
    this.entries.clear();
    for (const [id, entry] of saved as ReadonlyMap<string, Entry>) this.entries.set(id, entry);
  }
}
