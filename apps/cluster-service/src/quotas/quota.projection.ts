import { Injectable } from '@nestjs/common';
import {
  getOrCreate,
  quotaStream,
  type ApiKeyCreated,
  type ClusterCreated,
  type EnforcedQuota,
  type QuotaUsage,
} from '@stave/domain';
import { idOf, type RecordedEvent } from '@stave/platform';
import { modelsOf, type EventFeed, type Projection, type Retention } from '@stave/service-kit';

/** A type of resources that counts: by which events its resources come and go, and whose they are. */
interface Counted {
  readonly category: string;
  readonly dimension: EnforcedQuota;
  readonly created: string;
  readonly ended: string;
  readonly projectOf: (event: RecordedEvent) => string | null;
}

const countedTypes: readonly Counted[] = [
  {
    category: 'cluster',
    dimension: 'clusters',
    created: 'ClusterCreated',
    ended: 'ClusterDeleted',
    projectOf: ({ data }) => (data as ClusterCreated['data']).projectId,
  },
  {
    category: 'apiKey',
    dimension: 'keys',
    created: 'ApiKeyCreated',
    ended: 'ApiKeyRevoked',
    projectOf: ({ data }) => (data as ApiKeyCreated['data']).project,
  },
];

/** The limits and reservations of each project, and how many resources it has; a resource counts until the event that ends it. */
@Injectable()
export class QuotaProjection extends modelsOf({ model: quotaStream }) implements Projection {
  /** The project of each resource that counts. */
  private readonly projects = new Map<string, string>();
  private readonly counts = new Map<string, Map<EnforcedQuota, number>>();

  private readonly reservedListeners: ((projectId: string) => void)[] = [];

  /** Calls the listener with the project of each reservation, also of those that are replayed. */
  onReserved(listener: (projectId: string) => void): void {
    this.reservedListeners.push(listener);
  }

  follow(feed: EventFeed): void {
    feed.on(quotaStream.category, event => {
      this.model.apply(event);
      if (event.type === 'QuotaReserved') for (const listener of this.reservedListeners) listener(idOf(event));
    });
    for (const type of countedTypes) feed.on(type.category, event => this.count(type, event));
  }

  retentions(): readonly Retention[] {
    return [];
  }

  usage(projectId: string): QuotaUsage {
    const counted = Object.fromEntries(this.counts.get(projectId) ?? []);
    return { counted, isCounted: id => this.projects.has(id) };
  }

  private count({ created, ended, dimension, projectOf }: Counted, event: RecordedEvent): void {
    const id = idOf(event);
    const known = this.projects.get(id);
    if (event.type === created && known === undefined) {
      const project = projectOf(event);
      if (project === null) return;
      this.projects.set(id, project);
      this.add(project, dimension, 1);
    }
    if (event.type === ended && known !== undefined) {
      this.projects.delete(id);
      this.add(known, dimension, -1);
    }
  }

  private add(project: string, dimension: EnforcedQuota, change: number): void {
    const counts = getOrCreate(this.counts, project, () => new Map<EnforcedQuota, number>());
    const count = (counts.get(dimension) ?? 0) + change;
    if (count > 0) counts.set(dimension, count);
    else counts.delete(dimension);
    if (counts.size === 0) this.counts.delete(project);
  }
}
