import { expectStatus, uniqueName, type StaveClient } from '@stave/testing';
import type { CreationCase } from './creation-cases.js';
import { valuesByPlace } from './creation-oracle.js';

type Attributes = Readonly<Record<string, unknown>>;

/** Returns the attributes that a group needs besides the one of the case. */
export const needed = (attribute: string): Attributes => {
  const { [attribute]: _own, ...rest } = { role: 'worker', flavor: { cpus: 8, memoryMb: 512 } } as Attributes;
  return rest;
};

const one = (attribute: string, value: unknown): Attributes => (value === undefined ? {} : { [attribute]: value });

/** Creates the sources of the cases, each of them once. */
export class CreationSources {
  private readonly known = new Map<string, Promise<string>>();

  constructor(private readonly api: StaveClient) {}

  /** Returns the id of the source that the entry names. */
  entry(c: CreationCase): Promise<string> {
    const { attribute, entry, entryOpen, entryMarked } = c;
    const value = entryOpen ? undefined : valuesByPlace(c).entry;
    return this.once([entry, attribute, entryOpen, entryMarked], async () => {
      const group = { ...needed(attribute), ...one(attribute, value) };
      if (entry === 'nodeGroupTemplate')
        return this.made('node-group-templates', { ...group, ...marks(attribute, entryMarked) });
      const cluster = await this.cluster({ nodeGroups: [{ name: uniqueName('g'), ...group }] });
      const [made] = await this.api.list<{ readonly id: string }>(`/v1/clusters/${cluster}/node-groups`);
      return made?.id ?? '';
    });
  }

  /** Returns the id of the source of the cluster; it has a group `web`. */
  under(c: CreationCase): Promise<string> {
    const { attribute, way, underOpen, underMarked } = c;
    const value = underOpen ? undefined : (valuesByPlace({ ...c, merged: true }).under ?? undefined);
    return this.once([way, attribute, underOpen, underMarked], () => {
      const web = { name: 'web', ...needed(attribute), ...one(attribute, value) };
      if (way === 'cluster') return this.cluster({ nodeGroups: [web] });
      return this.made('cluster-templates', { nodeGroups: [{ ...web, ...marks(attribute, underMarked) }] });
    });
  }

  /** Returns the id of a cluster with these defaults, in which groups are created. */
  parent(defaults: Attributes): Promise<string> {
    return this.once(['parent', JSON.stringify(defaults)], () => this.cluster({ defaults }));
  }

  private async cluster(body: object): Promise<string> {
    const answer = this.api.post<{ readonly id: string }>('/v1/clusters', {
      name: uniqueName('c'),
      driver: 'fake',
      ...body,
    });
    return (await this.api.succeed(answer)).id;
  }

  private async made(path: string, body: object): Promise<string> {
    const answer = await this.api.post<{ readonly id: string }>(`/v1/${path}`, { name: uniqueName('t'), ...body });
    return expectStatus(answer, 201).body.id;
  }

  private once(key: readonly unknown[], make: () => Promise<string>): Promise<string> {
    const text = JSON.stringify(key);
    const known = this.known.get(text) ?? make();
    this.known.set(text, known);
    return known;
  }
}

const marks = (attribute: string, marked: boolean): Attributes => (marked ? { immutableAttributes: [attribute] } : {});
