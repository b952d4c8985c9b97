import type { Query } from '@tanstack/react-query';

/** Queries whose first answer the reader did not want to wait for. */
const stopped = new WeakSet<object>();

const isWithoutAnswer = ({ state }: Query): boolean => state.data === undefined && state.status === 'pending';

/** Whether something on the screen waits for its first answer. */
export const isAwaited = (query: Query): boolean =>
  query.isActive() && isWithoutAnswer(query) && query.state.fetchStatus === 'fetching';

/** Whether the reader has stopped the query; nothing but the reader starts it again while it is on the screen. */
export const isStopped = (query: Query): boolean =>
  stopped.has(query) && query.isActive() && isWithoutAnswer(query) && query.state.fetchStatus === 'idle';

export const markStopped = (query: Query): void => void stopped.add(query);

/** An interval of repeated reads, which does not begin where the reader has stopped the first one. */
export const unlessStopped =
  (interval: number) =>
  (query: object): number | false =>
    isStopped(query as Query) ? false : interval;
