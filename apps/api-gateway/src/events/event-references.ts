import { isUuid } from '@stave/domain';
import { Injectable } from '@nestjs/common';
import { RefusedError, type ResourceName } from '@stave/contracts';
import type { Call } from '../http/call.js';
import { ServiceClient } from '../services/service-client.js';
import type { EventSelection } from './event-filter.js';

/** Parses the filters of an event request and resolves names of clusters and projects to ids. */
@Injectable()
export class EventReferences {
  constructor(private readonly services: ServiceClient) {}

  async selection(call: Call): Promise<EventSelection> {
    const { cluster, project, type, resource } = call.query;
    return {
      ...(typeof cluster === 'string' ? { cluster: await this.idOf('cluster', cluster, call) } : {}),
      ...(typeof project === 'string' ? { project: await this.idOf('project', project, call) } : {}),
      ...(typeof type === 'string' ? { types: type.split(',') } : {}),
      ...(typeof resource === 'string' ? { resource } : {}),
    };
  }

  private async idOf(resource: ResourceName, reference: string, call: Call): Promise<string> {
    if (isUuid(reference)) return reference;
    const { data } = await this.services.ask(resource, 'get', call.meta, { id: reference });
    if (typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string') return data.id;
    throw new RefusedError({ code: 'not-found', kind: 'not-found', detail: `no ${resource} is named ${reference}` });
  }
}
