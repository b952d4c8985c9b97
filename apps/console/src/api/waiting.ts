import { useSyncExternalStore } from 'react';
import { queryClient } from './live-queries.js';
import { isAwaited, isStopped, markStopped } from './stopped.js';

const cache = queryClient.getQueryCache();

export type Wait = 'none' | 'waiting' | 'stopped';

function current(): Wait {
  const queries = cache.getAll();
  if (queries.some(isAwaited)) return 'waiting';
  return queries.some(isStopped) ? 'stopped' : 'none';
}

const subscribe = (onChange: () => void): (() => void) => cache.subscribe(onChange);

/** Whether the page waits for a first answer, or the reader has stopped it. */
export const useWait = (): Wait => useSyncExternalStore(subscribe, current);

/** Ends the requests that the page waits for. What has an answer already is left as it is. */
export function stopWaiting(): void {
  cache.findAll({ predicate: isAwaited }).forEach(markStopped);
  void queryClient.cancelQueries({ predicate: isAwaited });
}

/** Sends what was stopped again. */
export function waitAgain(): void {
  void queryClient.refetchQueries({ predicate: isStopped });
}
