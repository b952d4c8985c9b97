import { useQuery } from '@tanstack/react-query';
import { readPage } from '../api/any-path.js';
import { resourceTypes } from '../api/resource-types.js';

/** What policies can be attached to. */
export const targetTypes = ['cluster', 'nodeGroup', 'containerSet'] as const;
export type TargetType = (typeof targetTypes)[number];

export const attachmentPath = (type: string, id: string, policy: string): string =>
  `${resourceTypes[type]?.list}/${id}/policies/${policy}`;

interface Named {
  readonly id: string;
  readonly name: string;
  readonly clusterId?: string;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** As many as a field offers; typing finds the others. */
const OFFERED = 50;

async function read(type: string, start: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const list = resourceTypes[type]?.list ?? '';
  const query = { limit: OFFERED, sort: 'name', fields: 'name,clusterId', ...(start === '' ? {} : { 'name~': start }) };
  const { items } = await readPage<Named>(list, type === 'nodeGroup' ? query : { ...query, fields: 'name' }, signal);
  if (type !== 'nodeGroup') return items.map(({ id, name }) => ({ value: id, label: name }));
  // groups of all clusters are called `workers`
  const ids = [...new Set(items.map(({ clusterId = '' }) => clusterId))];
  const clusters =
    ids.length === 0
      ? []
      : (await readPage<Named>('/v1/clusters', { id: ids.join(), fields: 'name', limit: OFFERED }, signal)).items;
  const names = new Map(clusters.map(({ id, name }) => [id, name]));
  return items.map(({ id, name, clusterId = '' }) => ({ value: id, label: `${names.get(clusterId) ?? '?'}/${name}` }));
}

/** Resources of a type whose names begin with this. */
export const useChoices = (type: string, start: string) =>
  useQuery({
    queryKey: ['choices', type, start],
    queryFn: ({ signal }) => read(type, start, signal),
    placeholderData: previous => previous,
  });
