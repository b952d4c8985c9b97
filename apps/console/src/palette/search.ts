import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { readPage } from '../api/any-path.js';
import { pageOf, resourceTypes } from '../api/resource-types.js';
import { destinations } from '../shell/keys.js';

/** Something that the palette leads to. */
export interface Found {
  readonly path: string;
  readonly title: string;
  readonly what: string;
}

const searched = ['cluster', 'nodeGroup', 'container', 'containerSet', 'policy', 'machine', 'project'] as const;
const EACH = 5;
const MIN_CHARACTERS = 2;

const doing: readonly Found[] = [
  { path: '/change/cluster', title: 'New cluster', what: 'do' },
  { path: '/change/container-set', title: 'New container set', what: 'do' },
  { path: '/change/container', title: 'New container', what: 'do' },
  { path: '/change/policy', title: 'New policy', what: 'do' },
];

/** The pages and changes whose title has the text. */
export function pagesLike(text: string): readonly Found[] {
  const pages = Object.values(destinations).map(([path, title]) => ({ path, title, what: 'go' }));
  return [...pages, ...doing].filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
}

async function named(type: string, text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const { list = '', title = '' } = resourceTypes[type] ?? {};
  const query = { 'name~': text, limit: EACH, fields: 'name', sort: 'name' };
  const { items } = await readPage<{ id: string; name: string }>(list, query, signal);
  return items.map(({ id, name }) => ({ path: pageOf(type, id) ?? '/', title: name, what: title }));
}

/** Resources of every type whose names begin with the text. A type that one may not read has none. */
export const useNamed = (text: string): UseQueryResult<readonly Found[]> =>
  useQuery({
    queryKey: ['palette', text],
    enabled: text.length >= MIN_CHARACTERS,
    queryFn: async ({ signal }) => {
      const found = await Promise.allSettled(searched.map(type => named(type, text, signal)));
      return found.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
    },
    placeholderData: previous => previous,
    gcTime: 10_000,
  });
