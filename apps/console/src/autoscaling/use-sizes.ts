import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { readAt } from '../api/any-path.js';
import type { Page, StaveEvent } from '../api/types.js';

/** Events with which a resource wants another number; others of these types carry none. */
const names = {
  nodeGroup: ['created', 'resized', 'updated', 'nodeRemovalAccepted', 'nodesReleased'],
  containerSet: ['created', 'resized', 'updated', 'memberRemovalAccepted', 'membersReleased'],
} as const;
const READ = 200;

/** The number that a resource wanted from an event on. */
export interface Size {
  readonly at: number;
  readonly value: number;
  /** The number before; undefined for the first. */
  readonly before: number | undefined;
  readonly event: StaveEvent;
}

interface Numbers {
  readonly count?: number;
  readonly desired?: number;
}

interface SizeData extends Numbers {
  readonly changes?: Numbers;
  readonly spec?: Numbers;
}

function numberIn(event: StaveEvent): number | undefined {
  const { changes, spec, ...own } = (event.data ?? {}) as SizeData;
  return [own, changes, spec].map(one => one?.desired ?? one?.count).find(value => value !== undefined);
}

/** The changes of the number among events, both the oldest first. */
function sizesIn(events: readonly StaveEvent[]): readonly Size[] {
  const sizes: Size[] = [];
  for (const event of events) {
    const [value, before] = [numberIn(event), sizes.at(-1)?.value];
    if (value !== undefined && value !== before) sizes.push({ at: Date.parse(event.time), value, before, event });
  }
  return sizes;
}

export interface Sizes {
  /** The oldest first. */
  readonly sizes: readonly Size[];
  /** Reads older ones; undefined: these are all. */
  readonly more: (() => void) | undefined;
}

/** How many nodes or members a resource wanted over time, as its history has it. */
export function useSizes(type: keyof typeof names, id: string, updatedAt: string): Sizes {
  const { data, hasNextPage, isFetching, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['sizes', type, id],
    queryFn: ({ pageParam, signal }) => {
      const types = names[type].map(name => `stave.${type}.${name}.v1`).join();
      const query = { resource: `${type}/${id}`, type: types, order: 'newest', limit: READ };
      return readAt<Page<StaveEvent>>('/v1/events', pageParam === '' ? query : { ...query, cursor: pageParam }, signal);
    },
    initialPageParam: '',
    getNextPageParam: page => page.nextCursor,
  });
  useEffect(() => void refetch({ cancelRefetch: false }), [updatedAt, refetch]);
  const sizes = useMemo(() => sizesIn(data?.pages.flatMap(({ items }) => items).reverse() ?? []), [data]);
  const more = (): void => {
    if (!isFetching) void fetchNextPage();
  };
  return { sizes, more: hasNextPage ? more : undefined };
}
