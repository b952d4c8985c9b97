import { Inject, Injectable } from '@nestjs/common';
import { commandSubject, owners, type RequestMeta, type ResourceName } from '@stave/contracts';
import type { EventStore, Messaging } from '@stave/platform';
import { ask, EVENT_STORE, MESSAGING } from '@stave/service-kit';

/** What belongs to a project itself; everything else belongs to a cluster. */
const types = ['cluster', 'cluster-template', 'node-group-template', 'container-profile', 'policy'] as const;

const TIMEOUT_MS = 10_000;

interface Page {
  readonly items: readonly unknown[];
}

/** Knows whether a project is empty, from the lists of the services that own its resources. */
@Injectable()
export class ProjectContents {
  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(EVENT_STORE) private readonly store: EventStore,
  ) {}

  /** Returns the types of resources that the project has, of everything that was acknowledged before the call. Rejects where a service does not answer. */
  async in(projectId: string, { correlationId }: RequestMeta): Promise<readonly string[]> {
    const actor = { keyId: 'cluster-service', role: 'admin', project: null } as const;
    const meta = { correlationId, actor, minPosition: await this.store.head() };
    const found = await Promise.all(types.map(type => this.has(type, projectId, meta)));
    return types.filter((_, at) => found[at]);
  }

  private async has(type: ResourceName, projectId: string, meta: RequestMeta): Promise<boolean> {
    const request = { meta, body: { limit: 1, filter: { projectId } } };
    const { data } = await ask<Page>(this.messaging, commandSubject(owners[type], type, 'list'), request, TIMEOUT_MS);
    return data.items.length > 0;
  }
}
