import { ProblemError } from '@stave/client';
import type { Api, Document } from '../api/api.js';
import { CommandFailure, exitCodes, UsageError } from '../exit-codes.js';
import type { Noun } from './noun.js';
import { nounOf, nouns } from './nouns.js';

/** A resource that a reference names. */
export interface Target {
  readonly noun: Noun;
  /** The path of the resource. */
  readonly path: string;
}

const encoded = (text: string): string => encodeURIComponent(text);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
const OPERATION_ID = /^[a-z]-[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Returns the path of the list, of one cluster where it is named. Throws UsageError where the noun has none. */
export function listPath(noun: Noun, cluster?: string): string {
  if (cluster === undefined) return `/v1${noun.path}`;
  if (noun.inCluster === undefined)
    throw new UsageError(`${noun.name} are not listed by cluster; use --filter clusterId=${cluster}`);
  return `/v1/clusters/${encoded(cluster)}/${noun.inCluster}`;
}

async function nodeOf(api: Api, cluster: string, name: string): Promise<string> {
  const { items } = await api.read<{ items: Document[] }>(listPath(nounOf('nodes')!, cluster), {
    name,
    fields: 'name',
  });
  const [node] = items;
  if (!node) throw new CommandFailure(exitCodes.refused, `cluster ${cluster} has no node ${name}`);
  return `/v1/nodes/${encoded(String(node['id']))}`;
}

/** Returns the path of the resource: `name`, `cluster/name` or an id. Throws UsageError for a reference that cannot be understood. */
export async function pathOf(api: Api, noun: Noun, reference: string): Promise<string> {
  const parts = reference.split('/');
  if (parts.length > 2 || parts.includes(''))
    throw new UsageError(`${reference} is no reference: use a name, an id or cluster/name`);
  const [first = '', second] = parts;
  if (second === undefined) return `/v1${noun.path}/${encoded(first)}`;
  if (noun.inCluster === undefined) throw new UsageError(`a ${noun.singular} is named without its cluster: ${second}`);
  if (noun.name === 'nodes') return nodeOf(api, first, second);
  return `/v1/clusters/${encoded(first)}/${noun.inCluster}/${encoded(second)}`;
}

/** Returns the path of the resource by its id: what only this path has, such as `explain`, is not below its cluster. */
export async function ownPath(api: Api, noun: Noun, path: string): Promise<string> {
  if (path.startsWith(`/v1${noun.path}/`)) return path;
  const { id } = await api.read(path, { fields: 'name' });
  return `/v1${noun.path}/${encoded(String(id))}`;
}

const isAbsent = (error: unknown): boolean =>
  (error instanceof ProblemError && error.status === 404) ||
  (error instanceof CommandFailure && error.code === exitCodes.refused);

function candidates(reference: string): Noun[] {
  const named = (names: readonly string[]): Noun[] => names.map(name => nounOf(name)!);
  if (OPERATION_ID.test(reference)) return named(['operations']);
  if (reference.includes('/')) return named(['node-groups', 'nodes', 'networks', 'volumes']);
  if (UUID.test(reference)) return nouns.filter(noun => !noun.whole && noun.name !== 'operations');
  return named([
    'clusters',
    'container-sets',
    'containers',
    'node-groups',
    'nodes',
    'networks',
    'volumes',
    'container-profiles',
    'policies',
  ]);
}

/** Finds what a reference names where no noun was given: a cluster first, then what can have such a name. Throws CommandFailure for none. */
export async function findTarget(api: Api, reference: string): Promise<Target & { readonly document: Document }> {
  for (const noun of candidates(reference))
    try {
      const path = await pathOf(api, noun, reference);
      return { noun, path, document: await api.read(path) };
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  throw new CommandFailure(
    exitCodes.refused,
    `nothing is named ${reference}; machines, templates and projects are named after their type, such as: stave machines history ${reference}`,
  );
}
