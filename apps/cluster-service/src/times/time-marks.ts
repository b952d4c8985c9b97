import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { TimeMark } from '@stave/contracts';
import type { EventStore } from '@stave/platform';
import {
  Feed,
  LeaderTasks,
  LocalTimeMarks,
  LogMarker,
  SERVICE_OPTIONS,
  ServiceSnapshots,
  STORED_EVENTS,
  StoredTimeMarks,
  type ServiceOptions,
  type TimeMarkStore,
} from '@stave/service-kit';

/**
 * The marks of the whole log, beside the read models: in the document store, where the elected replica writes them, or in this process, where each replica has its own
 * and saves them in its snapshot.
 */
@Injectable()
export class TimeMarks implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly marks: TimeMarkStore;
  private readonly marker: LogMarker;
  private readonly areLocal: boolean;
  private isClosed = false;

  constructor(
    @Inject(SERVICE_OPTIONS)
    private readonly options: Pick<ServiceOptions, 'documentStore' | 'log' | 'worksFrom'>,
    @Inject(STORED_EVENTS) eventStore: EventStore,
    feed: Feed,
    snapshots: ServiceSnapshots,
    leader: LeaderTasks,
  ) {
    const { documentStore, log } = options;
    this.areLocal = documentStore.isLocal === true;
    if (this.areLocal) {
      const local = new LocalTimeMarks(() => feed.lastEvent);
      snapshots.add('time-marks', local);
      this.marks = local;
    } else this.marks = new StoredTimeMarks(documentStore, eventStore);
    this.marker = new LogMarker({ eventStore, marks: this.marks, log });
    if (!this.areLocal) leader.add(this.marker);
  }

  /** Resolves to a mark before the time (ISO 8601, UTC). Throws what the document store throws. */
  before(time: string): Promise<TimeMark | undefined> {
    return this.marks.before(time);
  }

  /** The snapshot was restored before. */
  onApplicationBootstrap(): void {
    if (!this.areLocal) return;
    void (this.options.worksFrom ?? Promise.resolve()).then(() => {
      if (!this.isClosed) this.marker.start();
    });
  }

  onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    return this.marker.stop();
  }
}
