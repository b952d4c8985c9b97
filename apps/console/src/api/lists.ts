import type { UseQueryResult } from '@tanstack/react-query';
import { readAt, readPage } from './any-path.js';
import { past, useLive, type ListKind, type Query } from './queries.js';
import { resourceTypes } from './resource-types.js';
import type { Page } from './types.js';

/** The list of a type, or of those of it that the fixed filters select. */
export const listOf = <T extends { readonly id: string }>(
  type: string,
  fixed: Query = {},
  clusterId?: string,
): ListKind<T> => ({
  name: `${type} ${JSON.stringify(fixed)}`,
  type,
  ...(clusterId === undefined ? {} : { clusterId }),
  read: (query, signal) => readPage<T>(resourceTypes[type]?.list ?? '', { ...fixed, ...query }, signal),
});

/** One resource by its id or name, now or as it was. */
export const useResource = <T>(type: string, id: string, at?: string): UseQueryResult<T> =>
  useLive(
    ['resource', type, id, at],
    signal => readAt<T>(`${resourceTypes[type]?.list}/${id}`, past(at), signal),
    at === undefined ? { ids: [id] } : {},
  );

/** What is below a resource, such as its policies. It is read again when an event is about one of `ids`. */
export const useBelow = <T>(path: string, ids: readonly string[], query: Query = {}): UseQueryResult<T> =>
  useLive(['below', path, query], signal => readAt<T>(path, query, signal), { ids });

/** A short list for a field or a panel, read whole up to its limit. */
export const useShortList = <T>(path: string, query: Query, types: readonly string[]): UseQueryResult<Page<T>> =>
  useLive(['short list', path, query], signal => readPage<T>(path, query, signal), { types });
