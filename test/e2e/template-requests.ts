import { expectStatus, type SendOptions, type StaveAnswer, type StaveClient } from '@stave/testing';
import { small } from './fleet.js';
import type { ResourceView } from './views.js';

export type Body = Readonly<Record<string, unknown>>;
export type Template = ResourceView &
  Body & {
    readonly nodeGroupTemplates?: readonly { readonly id: string; readonly name: string }[];
    readonly immutableAttributes: readonly string[];
    readonly locked: Readonly<Record<string, { readonly id: string; readonly name: string }>>;
  };

export const CLUSTERS = '/v1/cluster-templates';
export const GROUPS = '/v1/node-group-templates';
export const worker = { name: 'w', role: 'worker', flavor: small };

/** Requests that the suites about templates share. */
export class TemplateRequests {
  constructor(private readonly api: StaveClient) {}

  post(path: string, body: Body, options?: SendOptions): Promise<StaveAnswer<Template>> {
    return this.api.post<Template>(path, body, options);
  }

  async made(path: string, body: Body): Promise<Template> {
    return expectStatus(await this.post(path, body), 201).body;
  }

  async patched(path: string, body: Body): Promise<Template> {
    return expectStatus(await this.api.patch<Template>(path, body), 200).body;
  }

  /** Returns the node group templates of a cluster template by name, read at `minPosition`. */
  async inside(id: string, minPosition = '0'): Promise<Readonly<Record<string, Template>>> {
    const path = `${GROUPS}?clusterTemplateId=${id}&limit=500&minPosition=${minPosition}`;
    return Object.fromEntries((await this.api.list<Template>(path)).map(group => [group.name, group]));
  }
}
