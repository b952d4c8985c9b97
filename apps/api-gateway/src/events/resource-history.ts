import { isUuid } from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import { RefusedError, type Actor, type ResourceName } from '@stave/contracts';
import { clusterOf, type EventStore, type RecordedEvent } from '@stave/platform';
import { groupOnceNamed } from '@stave/service-kit';
import { EVENT_STORE } from '../gateway.tokens.js';
import { ok, type Answer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { ServiceClient } from '../services/service-client.js';
import { visibleTo } from './event-filter.js';
import { EventPages } from './event-pages.js';
import { EventPositions } from './event-positions.js';
import { PageCursor, pageLimit } from './page-query.js';

/** A resource's stream category is its name in camel case: `nodeGroup` for `node-group`. */
const categoryOf = (resource: ResourceName): string =>
  resource.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());

interface Target {
  readonly id?: string;
  readonly clusterId?: string;
}

const notFound = (): RefusedError =>
  new RefusedError({ code: 'not-found', kind: 'not-found', detail: 'nothing has such an id or name' });

/** The history of one resource, of a deleted one too: by its id it is read from its stream, a name is asked of the service. */
@Injectable()
export class ResourceHistory {
  constructor(
    private readonly services: ServiceClient,
    private readonly pages: EventPages,
    private readonly positions: EventPositions,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
  ) {}

  async page(resource: ResourceName, call: Call, target: Target): Promise<Answer> {
    await this.positions.reached(call.meta.minPosition);
    const { id: reference = '' } = target;
    const id = isUuid(reference) ? reference : await this.idOf(resource, call, target);
    const stream = `${categoryOf(resource)}-${id}`;
    const [first] = await this.eventStore.readStream(stream, { limit: 1 });
    if (!first || !belongsTo(call.meta.actor, first) || !isInside(target, first)) throw notFound();
    const cursor = new PageCursor({ stream });
    return ok(cursor.page(await this.pages.ofStream(stream, cursor.begin(call.query) ?? 0, pageLimit(call.query))));
  }

  private async idOf(resource: ResourceName, call: Call, target: Target): Promise<string> {
    const gone = resource === 'node-group' ? await this.groupBelow(target) : undefined;
    if (gone !== undefined) return gone;
    const { data } = await this.services.ask(resource, 'get', call.meta, target);
    if (typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string') return data.id;
    throw notFound();
  }

  /** A node group below its cluster's id, which may be deleted as well. */
  private async groupBelow({ id = '', clusterId }: Target): Promise<string | undefined> {
    if (clusterId === undefined || !isUuid(clusterId)) return undefined;
    return groupOnceNamed(this.eventStore, clusterId, id);
  }
}

const belongsTo = (actor: Actor, event: RecordedEvent): boolean => visibleTo(actor)(event);

/** A node group under another cluster's id is not there; under a cluster's name the service has looked. */
const isInside = ({ clusterId }: Target, event: RecordedEvent): boolean =>
  clusterId === undefined || !isUuid(clusterId) || clusterOf(event) === clusterId;
