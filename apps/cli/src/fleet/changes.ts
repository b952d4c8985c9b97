import { isDeepStrictEqual } from 'node:util';
import type { Api, Document } from '../api/api.js';
import { nounOf } from '../nouns/nouns.js';
import { listPath } from '../nouns/references.js';
import type { WantedChange } from '../commands/make-change.js';
import { patchOf } from './difference.js';
import type { Attachment, Entry } from './fleet-file.js';
import { inCluster, kinds, type Kind } from './kinds.js';
import { attachmentsOf, childrenOf, presentOf, withHostName } from './present.js';

/** A change that the file asks for. */
export interface FleetChange {
  readonly sign: '+' | '~' | '-';
  readonly title: string;
  readonly change: WantedChange;
  /** It refers to something that the same file creates, so that it cannot be planned before. */
  readonly follows: boolean;
}

const segment = (text: string): string => encodeURIComponent(text);

/** Finds out what must change. A run reads each resource of the file once. */
export class FleetChanges {
  private readonly created = new Set<string>();
  private readonly changes: FleetChange[] = [];

  constructor(
    private readonly api: Api,
    private readonly prune: boolean,
  ) {}

  /** Returns the changes in the order in which they are made: what is referred to comes first, what is removed last. */
  async of(entries: readonly Entry[]): Promise<FleetChange[]> {
    const removals: FleetChange[] = [];
    for (const entry of entries) {
      if (entry.kind.member === 'clusters') await this.cluster(entry, removals);
      else await this.resource(entry, `/v1${nounOf(entry.kind.noun)!.path}`);
    }
    if (this.prune) await this.pruneSets(entries, removals);
    return [...this.changes, ...removals];
  }

  private add(sign: FleetChange['sign'], title: string, change: WantedChange, follows = false): void {
    this.changes.push({ sign, title, change, follows });
  }

  private async cluster(entry: Entry, removals: FleetChange[]): Promise<void> {
    const present = await presentOf(this.api, entry.kind, entry.name);
    const groups = entry.children.filter(({ kind }) => kind.member === 'nodeGroups');
    const path = `/v1/clusters/${segment(entry.name)}`;
    if (!present) {
      this.created.add(entry.name);
      const nodeGroups = groups.map(({ members }) => members);
      this.add('+', `cluster ${entry.name}`, {
        method: 'post',
        path: '/v1/clusters',
        body: { ...entry.members, nodeGroups },
      });
    } else {
      this.patch(entry, present, path);
      for (const group of groups) await this.resource(group, `${path}/node-groups`, entry.name);
    }
    for (const child of entry.children)
      if (child.kind.member !== 'nodeGroups') await this.resource(child, `${path}/${child.kind.noun}`, entry.name);
    await this.attach(entry, path, present !== undefined);
    for (const group of groups)
      await this.attach(group, `${path}/node-groups/${segment(group.name)}`, present !== undefined, entry.name);
    if (this.prune && present) await this.pruneChildren(entry, removals);
  }

  /** Creates or changes one resource. `list` is where it is created. */
  private async resource(entry: Entry, list: string, cluster?: string): Promise<void> {
    const { kind, name, members } = entry;
    const follows = this.refersToCreated(entry, cluster);
    const reference = cluster === undefined ? name : `${cluster}/${name}`;
    const present = follows && cluster !== undefined ? undefined : await presentOf(this.api, kind, reference);
    const path = `${list}/${segment(name)}`;
    if (present) this.patch(entry, await this.comparable(kind, members, present), path);
    else {
      this.created.add(name);
      this.add(
        '+',
        `${nounOf(kind.noun)!.singular} ${reference}`,
        { method: 'post', path: list, body: members },
        follows,
      );
    }
    if (kind.member === 'containerSets') await this.attach(entry, path, present !== undefined);
  }

  private refersToCreated({ members, kind }: Entry, cluster: string | undefined): boolean {
    if (cluster !== undefined) return this.created.has(cluster);
    const { hostCluster, profile } = members;
    const referred =
      kind.member === 'containerSets' ? profile : kind.member === 'containerProfiles' ? hostCluster : undefined;
    return typeof referred === 'string' && this.created.has(referred);
  }

  /** The present resource with the names that the file uses, where they mean the same. */
  private async comparable(kind: Kind, wanted: Document, present: Document): Promise<Document> {
    if (kind.member === 'containerProfiles') return withHostName(this.api, present);
    if (kind.member !== 'containerSets' || typeof wanted['profile'] !== 'string') return present;
    const profile = await presentOf(this.api, kinds.containerProfiles, wanted['profile']);
    return { ...present, ...(profile?.['id'] === present['profileId'] ? { profile: wanted['profile'] } : {}) };
  }

  private patch({ kind, members, name }: Entry, present: Document, path: string): void {
    const { automatic } = kind;
    const keptByProduct =
      automatic && present[automatic.by] && members[automatic.by] !== null ? automatic.member : undefined;
    const body = patchOf(
      members,
      present,
      kind.update.filter(member => member !== keptByProduct),
    );
    if (body !== undefined) this.add('~', `${nounOf(kind.noun)!.singular} ${name}`, { method: 'patch', path, body });
  }

  private async attach(entry: Entry, path: string, exists: boolean, cluster?: string): Promise<void> {
    const { policies, name } = entry;
    if (policies === undefined) return;
    const target = exists && !this.created.has(name) ? await this.attachmentPath(entry, path, cluster) : path;
    const present: readonly Attachment[] =
      exists && !this.created.has(name) ? await attachmentsOf(this.api, target) : [];
    for (const { policy, ...wanted } of policies) {
      const found = present.find(attachment => attachment.policy.toLowerCase() === policy.toLowerCase());
      if (
        found &&
        isDeepStrictEqual(
          { enabled: true, ...wanted },
          { enabled: found.enabled, ...('priority' in wanted ? { priority: found.priority } : {}) },
        )
      )
        continue;
      const change: WantedChange = { method: 'put', path: `${target}/policies/${segment(policy)}`, body: wanted };
      this.add(
        found ? '~' : '+',
        `policy ${policy} of ${name}`,
        change,
        !exists || this.created.has(name) || this.created.has(policy),
      );
    }
    if (!this.prune) return;
    for (const { policy } of present)
      if (!policies.some(wanted => wanted.policy.toLowerCase() === policy.toLowerCase()))
        this.add('-', `policy ${policy} of ${name}`, {
          method: 'delete',
          path: `${target}/policies/${segment(policy)}`,
        });
  }

  /** Policies of node groups are attached below the id, since a name is unique in its cluster only. */
  private async attachmentPath({ kind, name }: Entry, path: string, cluster: string | undefined): Promise<string> {
    if (kind.member !== 'nodeGroups' || cluster === undefined) return path;
    const group = await presentOf(this.api, kind, `${cluster}/${name}`);
    return group ? `/v1/node-groups/${String(group['id'])}` : path;
  }

  private async pruneChildren(entry: Entry, removals: FleetChange[]): Promise<void> {
    for (const member of inCluster) {
      const kind = kinds[member];
      const wanted = new Set(
        entry.children.filter(child => child.kind === kind).map(child => child.name.toLowerCase()),
      );
      for (const { name } of await childrenOf(this.api, entry.name, kind))
        if (!wanted.has(String(name).toLowerCase()))
          removals.push(
            removal(
              `${nounOf(kind.noun)!.singular} ${entry.name}/${String(name)}`,
              `${listPath(nounOf(kind.noun)!, entry.name)}/${segment(String(name))}`,
            ),
          );
    }
  }

  private async pruneSets(entries: readonly Entry[], removals: FleetChange[]): Promise<void> {
    const wanted = new Set(
      entries.filter(({ kind }) => kind.member === 'containerSets').map(({ name }) => name.toLowerCase()),
    );
    for (const { kind, name } of entries) {
      if (kind.member !== 'clusters' || this.created.has(name)) continue;
      const cluster = await presentOf(this.api, kind, name);
      if (!cluster) continue;
      for await (const set of this.api.items('/v1/container-sets', { clusterId: String(cluster['id']), limit: 500 }))
        if (!wanted.has(String(set['name']).toLowerCase()))
          removals.unshift(
            removal(`container set ${String(set['name'])}`, `/v1/container-sets/${segment(String(set['name']))}`),
          );
    }
  }
}

const removal = (title: string, path: string): FleetChange => ({
  sign: '-',
  title,
  change: { method: 'delete', path },
  follows: false,
});
