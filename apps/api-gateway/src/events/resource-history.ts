import { isUuid } from '@stave/domain';
import { Inject, Injectable } from '@nestjs/common';
import type { RequestMeta, ResourceName } from '@stave/contracts';
import { clusterOf, type EventStore, type RecordedEvent } from '@stave/platform';
import { groupOnceNamed } from '@stave/service-kit';
import { EVENT_STORE } from '../gateway.tokens.js';
import { ok, type Answer } from '../http/answer.js';
import type { Call } from '../http/call.js';
import { notFound } from '../problems/refusals.js';
import { camelCase } from '../routes/resource.routes.js';
import { ServiceClient, type ResourceTarget } from '../services/service-client.js';
import { visibleTo } from './event-filter.js';
import { EventPages, PageRequest } from './event-pages.js';
import { EventPositions } from './event-positions.js';

/** Reads the events of one resource, also of a deleted one, from its stream. A name is resolved by the service of the resource. */
@Injectable()
export class ResourceHistory {
  constructor(
    private readonly services: ServiceClient,
    private readonly pages: EventPages,
    private readonly positions: EventPositions,
    @Inject(EVENT_STORE) private readonly eventStore: EventStore,
  ) {}

  async page(resource: ResourceName, { meta, query }: Call, target: ResourceTarget): Promise<Answer> {
    await this.positions.reached(meta);
    const stream = `${camelCase(resource)}-${await this.idOf(resource, meta, target)}`;
    const [first] = await this.eventStore.readStream(stream, { limit: 1 });
    if (!first || !visibleTo(meta.actor)(first) || !isInside(target, first)) throw notFound();
    return ok(await this.pages.ofStream(new PageRequest({ stream }, query), stream));
  }

  /** Finds a node group below the id of its cluster, too; both can be deleted. */
  private async idOf(resource: ResourceName, meta: RequestMeta, target: ResourceTarget): Promise<string> {
    const { id, clusterId = '' } = target;
    const isBelowId = resource === 'node-group' && !isUuid(id) && isUuid(clusterId);
    const deleted = isBelowId ? await groupOnceNamed(this.eventStore, clusterId, id) : undefined;
    return deleted ?? this.services.idOf(resource, meta, target);
  }
}

/** A node group does not exist below the id of another cluster. Below the name of a cluster the service has checked it. */
const isInside = ({ clusterId }: ResourceTarget, event: RecordedEvent): boolean =>
  clusterId === undefined || !isUuid(clusterId) || clusterOf(event) === clusterId;
