import { isDeepStrictEqual } from 'node:util';
import type { Api, Document } from '../api/api.js';
import { nounOf } from '../nouns/nouns.js';
import { listPath } from '../nouns/references.js';
import type { WantedChange } from '../commands/make-change.js';
import { UsageError } from '../exit-codes.js';
import { patchOf } from './difference.js';
import { flavorContradictions } from './flavors.js';
import type { Attachment, Entry } from './fleet-file.js';
import { inCluster, kinds, type Kind } from './kinds.js';
import { attachmentPath, attachmentsOf, childrenOf, presentOf, withHostName } from './present.js';

/** A change that the file asks for. */
export interface FleetChange {
  readonly sign: '+' | '~' | '-';
  readonly title: string;
  readonly change: WantedChange;
  /** It refers to something that the same file creates, so that it cannot be planned before. */
  readonly follows: boolean;
}

const segment = (text: string): string => encodeURIComponent(text);
const keyOf = (member: Kind['member'], reference: string): string => `${member} ${reference.toLowerCase()}`;

/** Finds out what must change. A run reads each resource of the file once. */
export class FleetChanges {
  private readonly created = new Set<string>();
  private readonly changes: FleetChange[] = [];
  /** Where the file has flavors that are not so yet. */
  private readonly changedFlavors = new Set<string>();

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
    this.refuseContradictions(entries);
    return [...this.changes, ...removals];
  }

  /** What is so already is no mistake: nodes keep the sizes that a flavor had on the day when their group was made. */
  private refuseContradictions(entries: readonly Entry[]): void {
    const found = entries
      .filter(({ kind }) => kind.member === 'clusters')
      .flatMap(flavorContradictions)
      .filter(({ pointers }) => pointers.some(pointer => this.changedFlavors.has(pointer)));
    if (found.length === 0) return;
    const lines = found.map(({ pointers: [, second], text }) => `  ${second}: ${text}`);
    throw new UsageError(`the file cannot be applied:\n${lines.join('\n')}`);
  }

  private add(sign: FleetChange['sign'], title: string, change: WantedChange, follows = false): void {
    this.changes.push({ sign, title, change, follows });
  }

  private async cluster(entry: Entry, removals: FleetChange[]): Promise<void> {
    const present = await presentOf(this.api, entry.kind, entry.name);
    const groups = entry.children.filter(({ kind }) => kind.member === 'nodeGroups');
    const path = `/v1/clusters/${segment(entry.name)}`;
    if (!present) {
      for (const { pointer } of [entry, ...groups]) this.flavorsChange(pointer);
      for (const group of groups) this.created.add(keyOf('nodeGroups', `${entry.name}/${group.name}`));
      this.created.add(keyOf('clusters', entry.name));
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
    await this.attach(entry, path);
    for (const group of groups) await this.attach(group, `${path}/node-groups/${segment(group.name)}`, entry.name);
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
      this.flavorsChange(entry.pointer);
      this.created.add(keyOf(kind.member, reference));
      this.add(
        '+',
        `${nounOf(kind.noun)!.singular} ${reference}`,
        { method: 'post', path: list, body: members },
        follows,
      );
    }
    if (kind.member === 'containerSets') await this.attach(entry, path);
  }

  private refersToCreated({ members, kind }: Entry, cluster: string | undefined): boolean {
    const { hostCluster, profile } = members;
    const isCreated = (member: Kind['member'], name: unknown): boolean =>
      typeof name === 'string' && this.created.has(keyOf(member, name));
    if (kind.member === 'containerSets') return isCreated('containerProfiles', profile);
    return isCreated('clusters', kind.member === 'containerProfiles' ? hostCluster : cluster);
  }

  /** The present resource with the names that the file uses, where they mean the same. */
  private async comparable(kind: Kind, wanted: Document, present: Document): Promise<Document> {
    if (kind.member === 'containerProfiles') return withHostName(this.api, present);
    if (kind.member !== 'containerSets' || typeof wanted['profile'] !== 'string') return present;
    const profile = await presentOf(this.api, kinds.containerProfiles, wanted['profile']);
    return { ...present, ...(profile?.['id'] === present['profileId'] ? { profile: wanted['profile'] } : {}) };
  }

  private flavorsChange(pointer: string): void {
    this.changedFlavors.add(`${pointer}/flavor`).add(`${pointer}/defaults/flavor`);
  }

  private patch({ kind, members, name, pointer }: Entry, present: Document, path: string): void {
    const { automatic } = kind;
    const keptByProduct =
      automatic && present[automatic.by] && members[automatic.by] !== null ? automatic.member : undefined;
    const body = patchOf(
      members,
      present,
      kind.update.filter(member => member !== keptByProduct),
    );
    if (body && ('flavor' in body || 'defaults' in body)) this.flavorsChange(pointer);
    if (body !== undefined) this.add('~', `${nounOf(kind.noun)!.singular} ${name}`, { method: 'patch', path, body });
  }

  private async attach(entry: Entry, path: string, cluster?: string): Promise<void> {
    const { policies, name, kind } = entry;
    if (policies === undefined) return;
    const isNew = this.created.has(keyOf(kind.member, cluster === undefined ? name : `${cluster}/${name}`));
    const target = isNew ? path : await attachmentPath(this.api, path);
    const present: readonly Attachment[] = isNew ? [] : await attachmentsOf(this.api, target);
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
        isNew || this.created.has(keyOf('policies', policy)),
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
      if (kind.member !== 'clusters' || this.created.has(keyOf('clusters', name))) continue;
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
