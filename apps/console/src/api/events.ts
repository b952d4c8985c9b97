import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { session } from '../session/session.js';
import { readAt } from './any-path.js';
import type { Query } from './queries.js';
import { resourceTypes } from './resource-types.js';
import type { Page, StaveEvent } from './types.js';

/** Few enough to stay light, whatever is unfolded. */
export const EVENTS = 50;

/** Which events a list shows. */
export interface EventChoice {
  readonly cluster?: string;
  readonly project?: string;
  readonly type?: string;
  readonly resource?: string;
  readonly since?: string;
  readonly until?: string;
}

/** A page of the events, the newest first. */
export const useEvents = (choice: EventChoice, cursor: string | undefined): UseQueryResult<Page<StaveEvent>> =>
  useQuery({
    queryKey: ['event page', choice, cursor],
    queryFn: ({ signal }) => {
      const query = { ...choice, order: 'newest', limit: EVENTS, ...(cursor === undefined ? {} : { cursor }) };
      return readAt<Page<StaveEvent>>('/v1/events', query as Query, signal);
    },
    staleTime: Infinity,
    // nothing says of a page that is not on the screen that there are newer events
    gcTime: 0,
    placeholderData: previous => previous,
  });

/** Counts the messages about changes that the choice may show since `restart` was another one. */
export function useNewEvents({ cluster, resource, until }: EventChoice, restart: unknown): boolean {
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    setNew(false);
    if (until !== undefined) return undefined;
    const about = resource?.split('/').at(-1) ?? cluster;
    return session.onChanges(({ ids }) => {
      if (about === undefined || ids.includes(about)) setNew(true);
    });
  }, [cluster, resource, until, restart]);
  return isNew;
}

export interface Difference {
  readonly changes: readonly { readonly pointer: string; readonly from?: unknown; readonly to?: unknown }[];
}

/** What changed in a resource when an event was recorded; nothing is asked of what the API does not show as a resource. */
export function useEventDifference(type: string, id: string, time: string): UseQueryResult<Difference> {
  const list = resourceTypes[type]?.list;
  return useQuery({
    queryKey: ['difference', type, id, time],
    enabled: list !== undefined,
    staleTime: Infinity,
    retry: false,
    queryFn: ({ signal }) => {
      const before = new Date(Date.parse(time) - 1).toISOString();
      return readAt<Difference>(`${list}/${id}/diff`, { from: before, to: time }, signal);
    },
  });
}
