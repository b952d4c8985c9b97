import {
  placementStream,
  placementStreamName,
  type ClusterPlacement,
  type ClusterPlacementEvent,
  type StreamDefinition,
} from '@stave/domain';
import { UpcastingEventStore, newEvents, type EventContext } from '@stave/service-kit';
import { WrongExpectedRevisionError, type EventStore, type RecordedEvent } from '@stave/platform';

interface Ledger {
  readonly state: ClusterPlacement;
  revision: number;
  /** The last append; the next one begins after it. */
  last: Promise<unknown>;
}

type SavedLedger = Pick<Ledger, 'state' | 'revision'>;

const ATTEMPTS = 20;

/** The streams `placement-<clusterId>`, each folded in place: an event is taken in exactly once, by its revision. */
export class PlacementLedger {
  private readonly store: EventStore;
  private readonly ledgers = new Map<string, Ledger>();
  readonly folded = { ledgers: { save: () => this.saved(), restore: (saved: unknown) => this.restore(saved) } };
  readonly unfolded = ['ledgers'];

  constructor(
    store: EventStore,
    private readonly now: () => string = () => new Date().toISOString(),
  ) {
    this.store = UpcastingEventStore.from(store);
  }

  /** As far as this process has seen; to be read only. */
  get(clusterId: string): ClusterPlacement {
    return this.ledger(clusterId).state;
  }

  revision(clusterId: string): number {
    return this.ledger(clusterId).revision;
  }

  /** Ledgers change in place. */
  private saved(): ReadonlyMap<string, SavedLedger> {
    const copy = ({ state, revision }: Ledger): SavedLedger => structuredClone({ state, revision });
    return new Map([...this.ledgers].map(([id, ledger]) => [id, copy(ledger)]));
  }

  private restore(saved: unknown): void {
    this.ledgers.clear();
    for (const [id, ledger] of saved as ReadonlyMap<string, SavedLedger>)
      this.ledgers.set(id, { ...ledger, last: Promise.resolve() });
  }

  /** Takes in an event of the feed. */
  apply(event: RecordedEvent): void {
    const ledger = this.ledger(event.stream.slice(placementStreamName('').length));
    if (event.revision > ledger.revision) take(ledger, event);
  }

  /**
   * Appends what `decide` makes of the current state, in one append; decides anew when another writer came first. Appends to one
   * cluster's stream follow each other.
   */
  append(
    clusterId: string,
    decide: (state: ClusterPlacement) => readonly ClusterPlacementEvent[],
    context: EventContext,
  ): Promise<void> {
    const ledger = this.ledger(clusterId);
    const next = ledger.last.then(() => this.write(clusterId, ledger, decide, context));
    ledger.last = next.catch(() => undefined);
    return next;
  }

  private async write(
    clusterId: string,
    ledger: Ledger,
    decide: (state: ClusterPlacement) => readonly ClusterPlacementEvent[],
    context: EventContext,
  ): Promise<void> {
    const stream = placementStreamName(clusterId);
    for (let attempt = 0; ; attempt++) {
      const events = decide(ledger.state);
      if (events.length === 0) return;
      const after = ledger.revision;
      if (context.admission && !(await context.admission.admits({ stream, after, events }))) return;
      const fresh = newEvents(stream, after, events, context, this.now());
      try {
        await this.store.append(stream, fresh, after < 0 ? 'no_stream' : after);
        fresh.forEach((event, i) => {
          if (after + 1 + i > ledger.revision) take(ledger, { ...event, revision: after + 1 + i });
        });
        return;
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError) || attempt >= ATTEMPTS) throw error;
        await this.catchUp(stream, ledger);
      }
    }
  }

  private async catchUp(stream: string, ledger: Ledger): Promise<void> {
    for (const event of await this.store.readStream(stream, { from: ledger.revision + 1 }))
      if (event.revision > ledger.revision) take(ledger, event);
  }

  private ledger(clusterId: string): Ledger {
    const known = this.ledgers.get(clusterId);
    if (known) return known;
    const fresh: Ledger = { state: placementStream.initial, revision: -1, last: Promise.resolve() };
    this.ledgers.set(clusterId, fresh);
    return fresh;
  }
}

const definition: StreamDefinition<ClusterPlacement> = placementStream;

function take(ledger: Ledger, event: Pick<RecordedEvent, 'type' | 'data' | 'revision' | 'metadata'>): void {
  definition.evolve(ledger.state, event, event.metadata.time);
  ledger.revision = event.revision;
}
