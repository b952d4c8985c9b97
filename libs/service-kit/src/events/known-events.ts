import { readFileSync } from 'node:fs';
import {
  eventVersions,
  NewerEventError,
  type ApiKeyCreated,
  type ApiKeyRevoked,
  type ApiKeyRotated,
  type ClusterGroupsEvent,
  type QuotaEvent,
} from '@stave/domain';
import type { RecordedEvent } from '@stave/platform';

/** Every event type of the streams that are followed and not published. */
const internal = {
  apiKey: {
    ApiKeyCreated: true,
    ApiKeyRotated: true,
    ApiKeyRevoked: true,
    CreationAbandoned: true,
  } satisfies Record<(ApiKeyCreated | ApiKeyRotated | ApiKeyRevoked)['type'] | 'CreationAbandoned', true>,
  clusterGroups: {
    NodeGroupRegistered: true,
    NodeGroupUnregistered: true,
    ClusterGroupsClosed: true,
    ClusterGroupsRemoved: true,
  } satisfies Record<ClusterGroupsEvent['type'], true>,
  quota: {
    QuotaLimitsChanged: true,
    QuotaReserved: true,
    QuotaReservationsSettled: true,
    QuotaReservationsReleased: true,
  } satisfies Record<QuotaEvent['type'], true>,
};

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Returns the event types of each category of streams, as far as the categories are listed. */
const typesByCategory = (): ReadonlyMap<string, ReadonlySet<string>> => (known ??= readTypes());

/** The types of published events are those that have a schema; a test checks that each type has one. */
function readTypes(): ReadonlyMap<string, ReadonlySet<string>> {
  const file = require.resolve('@stave/contracts/event-schemas.json');
  const { definitions }: { definitions: Readonly<Record<string, { readonly title?: string }>> } = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const types = new Map<string, Set<string>>();
  for (const [category, listed] of Object.entries(internal)) types.set(category, new Set(Object.keys(listed)));
  for (const [name, { title = '' }] of Object.entries(definitions)) {
    const [, category] = /^stave\.(\w+)\.\w+\.v\d+$/.exec(name) ?? [];
    if (category !== undefined) types.set(category, (types.get(category) ?? new Set()).add(title));
  }
  return types;
}

/** Returns the latest version of the event type that this release can read; 0 for an unknown type of a listed category of streams. */
export function knownVersion(category: string, type: string): number {
  const types = typesByCategory().get(category);
  return types === undefined || types.has(type) ? eventVersions.currentVersion(type) : 0;
}

/** The streams of one category that have an event of an unknown type. What is folded from them can be shown; their owner must not decide on it. */
export class UnknownEvents {
  private readonly byStream = new Map<string, NewerEventError>();
  private known: ReadonlySet<string> | undefined;

  constructor(private readonly category: string) {}

  note({ stream, type, metadata }: RecordedEvent): void {
    if (this.known?.has(type)) return;
    this.known = typesByCategory().get(this.category);
    if (knownVersion(this.category, type) === 0)
      this.byStream.set(stream, new NewerEventError(type, metadata.schemaVersion, 0));
  }

  /** Throws NewerEventError for a stream with such an event. */
  requireNone(stream: string): void {
    const unknown = this.byStream.get(stream);
    if (unknown) throw unknown;
  }
}
