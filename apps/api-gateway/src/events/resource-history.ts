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
  new RefusedError({ code: 'not-found', kind: 'not-found', detail: 'no resource has this id or name' });

/** Reads the events of one resource, also of a deleted one, from its stream. A name is resolved by the service of the resource. */
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
    const deleted = resource === 'node-group' ? await this.groupBelow(target) : undefined;
    if (deleted !== undefined) return deleted;
    const { data } = await this.services.ask(resource, 'get', call.meta, target);
    if (typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string') return data.id;
    throw notFound();
  }

  /** Finds a node group below the id of its cluster; both can be deleted. */
  private async groupBelow({ id = '', clusterId }: Target): Promise<string | undefined> {
    if (clusterId === undefined || !isUuid(clusterId)) return undefined;
    return groupOnceNamed(this.eventStore, clusterId, id);
  }
}

const belongsTo = (actor: Actor, event: RecordedEvent): boolean => visibleTo(actor)(event);

/** A node group does not exist below the id of another cluster. Below the name of a cluster the service has checked it. */
const isInside = ({ clusterId }: Target, event: RecordedEvent): boolean =>
  clusterId === undefined || !isUuid(clusterId) || clusterOf(event) === clusterId;
