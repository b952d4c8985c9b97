import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { ProblemError } from '@stave/client';
import { readAt } from './any-path.js';
import type { Query } from './queries.js';
import { resourceTypes } from './resource-types.js';
import type { Page, StaveEvent } from './types.js';

/** From when to when a resource existed. Without any event there never was one. */
export interface Life {
  readonly created?: StaveEvent | undefined;
  readonly deleted?: StaveEvent | undefined;
  /** What somebody asked for, of which the deletion is a part. */
  readonly cause?: StaveEvent | undefined;
  /** The last moment before the deletion was asked for. */
  readonly lastMoment?: string | undefined;
}

const NEWEST = 50;
const REQUESTED = /\.(?:deletion|removal)Requested\.v\d+$/;
const DELETED = /\.deleted\.v\d+$/;

const earlier = (time: string): string => new Date(Date.parse(time) - 1).toISOString();

async function readEvents(path: string, query: Query, signal: AbortSignal): Promise<readonly StaveEvent[]> {
  try {
    return (await readAt<Page<StaveEvent>>(path, query, signal)).items;
  } catch (error) {
    if (error instanceof ProblemError && error.status === 404) return [];
    throw error;
  }
}

async function readLife(type: string, id: string, signal: AbortSignal): Promise<Life> {
  const [created] = await readEvents(`${resourceTypes[type]?.list}/${id}/events`, { limit: 1 }, signal);
  if (!created) return {};
  const query = { resource: created.subject, order: 'newest', limit: NEWEST };
  const newest = await readEvents('/v1/events', query, signal);
  const deleted = newest.find(event => DELETED.test(event.type));
  if (!deleted) return { created };
  const operation = deleted.operationid;
  const [first] =
    operation === undefined ? [] : await readEvents(`/v1/operations/${operation}/events`, { limit: 1 }, signal);
  const cause = first ?? deleted;
  const { time } = newest.find(event => REQUESTED.test(event.type)) ?? cause;
  const last = earlier(time);
  return { created, deleted, cause, lastMoment: last < created.time ? created.time : last };
}

/** When a resource that is not there was created and deleted, and by whom. */
export const useLife = (type: string, id: string): UseQueryResult<Life> =>
  useQuery({ queryKey: ['life', type, id], queryFn: ({ signal }) => readLife(type, id, signal), gcTime: 0 });
