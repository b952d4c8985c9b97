import { getOrCreate } from '@stave/domain';
import { EventBatch, type EventFrame } from './event-batch.js';
import { topicsOf, type StreamFilter } from './event-filter.js';

export interface EventReader {
  readonly filter: StreamFilter;
  /** Receives the selected events in the order of their positions. Must not throw. */
  take(batch: EventBatch): void;
}

/** Readers with equal filters. */
interface ReaderGroup {
  readonly filter: StreamFilter;
  readonly readers: Set<EventReader>;
}

/**
 * The readers of new events, grouped by their filters, so that only the filters of its topics are checked for an event, and each selected event
 * is filtered and encoded once for all readers with the same filter.
 */
export class ReaderGroups {
  private readonly groups = new Map<string, ReaderGroup>();
  private readonly byTopic = new Map<string, Set<ReaderGroup>>();

  add(reader: EventReader): void {
    const { filter } = reader;
    const group = getOrCreate(this.groups, filter.key, () => ({ filter, readers: new Set<EventReader>() }));
    group.readers.add(reader);
    getOrCreate(this.byTopic, filter.topic, () => new Set<ReaderGroup>()).add(group);
  }

  delete(reader: EventReader): void {
    const { key, topic } = reader.filter;
    const group = this.groups.get(key);
    if (!group?.readers.delete(reader) || group.readers.size > 0) return;
    this.groups.delete(key);
    const others = this.byTopic.get(topic);
    others?.delete(group);
    if (others?.size === 0) this.byTopic.delete(topic);
  }

  /** Gives each reader the frames that its filter selects. */
  distribute(frames: readonly EventFrame[]): void {
    for (const [{ readers }, chosen] of this.choose(frames)) {
      const batch = new EventBatch(chosen);
      for (const reader of readers) reader.take(batch);
    }
  }

  private choose(frames: readonly EventFrame[]): ReadonlyMap<ReaderGroup, readonly EventFrame[]> {
    const chosen = new Map<ReaderGroup, EventFrame[]>();
    for (const frame of frames)
      for (const topic of topicsOf(frame.event))
        for (const group of this.byTopic.get(topic) ?? [])
          if (group.filter.selects(frame.event)) getOrCreate(chosen, group, () => []).push(frame);
    return chosen;
  }
}
