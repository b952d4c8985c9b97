import { ProblemError } from '@stave/client';
import type { Api, Document } from '../api/api.js';
import { nounOf } from '../nouns/nouns.js';
import { listPath, ownPath, pathOf } from '../nouns/references.js';
import type { Attachment } from './fleet-file.js';
import { inCluster, kinds, type Kind } from './kinds.js';

/** Returns the resource, or undefined when there is none with this name. */
export async function presentOf(api: Api, kind: Kind, reference: string): Promise<Document | undefined> {
  try {
    return await api.read(await pathOf(api, nounOf(kind.noun)!, reference));
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return undefined;
    throw error;
  }
}

const IN_CLUSTER = /^(\/v1\/clusters\/[^/]+\/node-groups\/[^/]+)(\/.*)?$/;

/** Policies of node groups are attached below their id. A path below the cluster is exchanged, for which the group must exist. */
export async function attachmentPath(api: Api, path: string): Promise<string> {
  const [, group, rest = ''] = IN_CLUSTER.exec(path) ?? [];
  return group === undefined ? path : `${await ownPath(api, nounOf('node-groups')!, group)}${rest}`;
}

/** The policies that are attached to the resource itself. */
export async function attachmentsOf(api: Api, path: string): Promise<Attachment[]> {
  const { items } = await api.read<{ items: Document[] }>(`${path}/policies`);
  return items.map(({ name, enabled, priority }) => ({
    policy: String(name),
    enabled: enabled === true,
    priority: Number(priority),
  }));
}

/** A resource as a fleet file has it: without what the product sets, and with names in place of ids. */
export function asEntry(kind: Kind, document: Document): Record<string, unknown> {
  const { automatic, keptEmpty = [] } = kind;
  const left = automatic && document[automatic.by] ? automatic.member : undefined;
  return Object.fromEntries(
    kind.create.flatMap(member => {
      const value = document[member];
      const empty = value === undefined || value === null || (isEmpty(value) && !keptEmpty.includes(member));
      return empty || member === left ? [] : [[member, value]];
    }),
  );
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

/** The resources of this kind inside a cluster. */
export async function childrenOf(api: Api, cluster: string, kind: Kind): Promise<Document[]> {
  const all: Document[] = [];
  for await (const child of api.items(listPath(nounOf(kind.noun)!, cluster), { sort: 'name', limit: 500 }))
    all.push(child);
  return all;
}

async function withAttachments(
  api: Api,
  path: string,
  entry: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const policies = await attachmentsOf(api, path);
  return policies.length === 0 ? entry : { ...entry, policies };
}

/** A cluster with everything inside it, the profiles and policies that it uses, as `stave apply -f` takes it. */
export async function exportCluster(api: Api, reference: string): Promise<Record<string, unknown>> {
  const path = await pathOf(api, nounOf('clusters')!, reference);
  const document = await api.read(path);
  const id = String(document['id']);
  const cluster = await withAttachments(api, path, asEntry(kinds.clusters, document));
  for (const member of inCluster) {
    const children = await childrenOf(api, id, kinds[member]);
    const entries = await Promise.all(
      children.map(child => {
        const entry = asEntry(kinds[member], child);
        return member === 'nodeGroups' ? withAttachments(api, `/v1/node-groups/${String(child['id'])}`, entry) : entry;
      }),
    );
    if (entries.length > 0) cluster[member] = entries;
  }
  const { sets, profiles } = await setsOf(api, id);
  const named = [cluster, ...((cluster['nodeGroups'] ?? []) as Document[]), ...sets];
  const policies = await policiesOf(api, named);
  return {
    ...(policies.length === 0 ? {} : { policies }),
    clusters: [cluster],
    ...(profiles.length === 0 ? {} : { containerProfiles: profiles }),
    ...(sets.length === 0 ? {} : { containerSets: sets }),
  };
}

async function setsOf(api: Api, clusterId: string): Promise<{ sets: Document[]; profiles: Document[] }> {
  const sets: Document[] = [];
  const profiles = new Map<string, Document>();
  for await (const set of api.items('/v1/container-sets', { clusterId, sort: 'name', limit: 500 })) {
    const profileId = String(set['profileId']);
    const profile: Document = profiles.get(profileId) ?? (await api.read(`/v1/container-profiles/${profileId}`));
    profiles.set(profileId, profile);
    const entry = asEntry(kinds.containerSets, { ...set, profile: profile['name'] });
    sets.push(await withAttachments(api, `/v1/container-sets/${String(set['id'])}`, entry));
  }
  const named = await Promise.all([...profiles.values()].map(profile => withHostName(api, profile)));
  return { sets, profiles: named.map(profile => asEntry(kinds.containerProfiles, profile)) };
}

/** A profile that names its cluster; ids are of one installation only. */
export async function withHostName(api: Api, profile: Document): Promise<Document> {
  const { hostCluster } = profile;
  if (typeof hostCluster !== 'string') return profile;
  const host = await presentOf(api, kinds.clusters, hostCluster);
  return { ...profile, hostCluster: host?.['name'] ?? hostCluster };
}

async function policiesOf(api: Api, entries: readonly Document[]): Promise<Document[]> {
  const names = new Set(
    entries.flatMap(({ policies }) => ((policies ?? []) as Attachment[]).map(({ policy }) => policy)),
  );
  return Promise.all(
    [...names]
      .sort()
      .map(async name => asEntry(kinds.policies, await api.read(`/v1/policies/${encodeURIComponent(name)}`))),
  );
}
