import { useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Created } from '../session/messages.js';
import { session } from '../session/session.js';
import { inNaturalOrder } from './natural-order.js';
import type { ListKind } from './queries.js';
import type { Page } from './types.js';

const LIMIT = 100;
/** As many ids as one request names. */
const AT_ONCE = 100;

type Query = Readonly<Record<string, string | number | boolean>>;

export interface LiveList<T> {
  readonly items: readonly T[];
  /** How many there are in all; undefined until it is known. */
  readonly total: number | undefined;
  /** How many were added since the list was read. */
  readonly added: number;
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly isOlder: boolean;
  readonly more: () => void;
  readonly reload: () => void;
}

/**
 * A list of which the server does the sorting, filtering and counting. Rows that change are read again in one request, four times a second
 * at most; rows that are added wait until the reader asks for them.
 */
export function useLiveList<T extends { readonly id: string }>(
  kind: ListKind<T>,
  query: Query,
  isLive = true,
): LiveList<T> {
  const cache = useQueryClient();
  const queryKey = useMemo(() => ['list', kind.name, query], [kind.name, JSON.stringify(query)]);
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      kind.read({ ...query, limit: LIMIT, ...(pageParam === '' ? { total: true } : { cursor: pageParam }) }, signal),
    initialPageParam: '',
    getNextPageParam: (page: Page<T>) => page.nextCursor,
    placeholderData: previous => previous,
    staleTime: Infinity,
    // no event reaches a list that is not on the screen: whoever comes back reads it again
    gcTime: 0,
  });
  const items = useMemo(() => {
    const pages = list.data?.pages ?? [];
    const all = pages.flatMap(page => page.items);
    // rows of several pages stay where they were read
    return list.hasNextPage || pages.length > 1 ? all : inNaturalOrder(all, query['sort']);
  }, [list.data, list.hasNextPage]);
  const isReading = list.isFetching;
  const [added, setAdded] = useLiveRows({ kind, query, queryKey, items, isReading, isLive });

  return {
    items,
    total: list.data?.pages[0]?.total,
    added,
    error: list.error,
    isLoading: list.isPending,
    isOlder: list.isPlaceholderData,
    more: () => {
      if (list.hasNextPage && !list.isFetchingNextPage) void list.fetchNextPage();
    },
    reload: () => {
      setAdded(0);
      void cache.resetQueries({ queryKey, exact: true });
    },
  };
}

interface Rows<T extends { readonly id: string }> {
  readonly kind: ListKind<T>;
  readonly query: Query;
  readonly queryKey: readonly unknown[];
  readonly items: readonly T[];
  readonly isReading: boolean;
  readonly isLive: boolean;
}

/** Reads rows again that have changed, and counts those that were added. */
function useLiveRows<T extends { readonly id: string }>(list: Rows<T>) {
  const { kind, query, queryKey, items, isReading, isLive } = list;
  const cache = useQueryClient();
  const [added, setAdded] = useState(0);
  const known = useRef(new Set<string>());
  known.current = new Set(items.map(({ id }) => id));
  const live = useRef<ChangedRows>(undefined);
  const reading = useRef(isReading);
  reading.current = isReading;
  // what changes while a page of the list is on its way may be in that page as it was before
  const missed = useRef(new Set<string>());
  useEffect(() => {
    setAdded(0);
    if (!isLive) return undefined;
    const ended = new AbortController();
    const rows = new ChangedRows(async ids => {
      const { items: fresh } = await kind.read({ ...unsorted(query), id: ids.join(), limit: AT_ONCE }, ended.signal);
      cache.setQueryData<InfiniteData<Page<T>>>(queryKey, data => data && replaced(data, ids, fresh));
      const strangers = fresh.filter(({ id }) => !known.current.has(id)).length;
      if (strangers > 0) setAdded(count => count + strangers);
    });
    const isOurs = ({ type, id, cluster }: Created): boolean =>
      type === kind.type && (kind.clusterId ?? cluster) === cluster && !known.current.has(id);
    const stop = session.onChanges(({ ids, created }) => {
      if (reading.current) ids.forEach(id => missed.current.add(id));
      // whether the filters select what was created, the server says
      rows.add([...ids.filter(id => known.current.has(id)), ...created.filter(isOurs).map(({ id }) => id)]);
    });
    live.current = rows;
    return () => {
      stop();
      ended.abort();
    };
  }, [cache, queryKey, isLive]);
  useEffect(() => {
    if (isReading) return;
    live.current?.add([...missed.current].filter(id => known.current.has(id)));
    missed.current.clear();
  }, [isReading]);
  return [added, setAdded] as const;
}

/** Rows that wait to be read again: one request at a time, for all that have changed meanwhile. */
class ChangedRows {
  private readonly waiting = new Set<string>();
  private isReading = false;

  constructor(private readonly read: (ids: readonly string[]) => Promise<void>) {}

  add(ids: readonly string[]): void {
    for (const id of ids) this.waiting.add(id);
    if (this.waiting.size > 0 && !this.isReading) void this.readAll();
  }

  private async readAll(): Promise<void> {
    this.isReading = true;
    while (this.waiting.size > 0) {
      const ids = [...this.waiting].slice(0, AT_ONCE);
      for (const id of ids) this.waiting.delete(id);
      // after a failure the list stays as it was; the next change, or the reader, reads it again
      await this.read(ids).catch(() => this.waiting.clear());
    }
    this.isReading = false;
  }
}

const unsorted = ({ sort: _, total: __, ...rest }: Query): Query => rest;

/** Rows that the filters select no more leave the list, and its number. */
function replaced<T extends { readonly id: string }>(
  data: InfiniteData<Page<T>>,
  ids: readonly string[],
  fresh: readonly T[],
): InfiniteData<Page<T>> {
  const byId = new Map(fresh.map(item => [item.id, item]));
  const asked = new Set(ids);
  const stays = ({ id }: T): boolean => !asked.has(id) || byId.has(id);
  const left = data.pages.flatMap(({ items }) => items.filter(item => !stays(item))).length;
  const pages = data.pages.map(page => ({
    ...page,
    ...(page.total === undefined ? {} : { total: page.total - left }),
    items: page.items.filter(stays).map(item => byId.get(item.id) ?? item),
  }));
  return { ...data, pages };
}
