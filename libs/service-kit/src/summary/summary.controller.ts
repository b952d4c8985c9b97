import { Controller } from '@nestjs/common';
import { MessagePattern } from '@nestjs/microservices';
import type { ServiceRequest } from '@stave/contracts';
import { Feed } from '../events/feed.js';
import { behind, READ_WAIT_MS } from '../read-models/queries.js';
import { projectsOf } from '../resources/access.js';
import { ResourceRegistry } from '../resources/resource-registry.js';
import type { StatusNumbers } from './status-counts.js';

@Controller()
export class SummaryController {
  constructor(
    private readonly registry: ResourceRegistry,
    private readonly feed: Feed,
  ) {}

  /** Counts what the requester may see, by type and status. Throws RefusedError `read-model-behind`. */
  @MessagePattern('summary.get')
  async get({ meta }: ServiceRequest): Promise<Readonly<Record<string, StatusNumbers>>> {
    if (!(await this.feed.waitFor(meta.minPosition ?? -1, READ_WAIT_MS))) throw behind();
    return this.registry.summary(projectsOf(meta.actor));
  }
}
