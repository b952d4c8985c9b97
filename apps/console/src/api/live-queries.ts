import { QueryClient, type Query } from '@tanstack/react-query';
import { ProblemError } from '@stave/client';
import { session } from '../session/session.js';
import { isStopped } from './stopped.js';
import type { Changes } from '../session/messages.js';

/** Which changes make the answer of a query outdated: those of these ids or of these types. */
export interface Watch {
  readonly ids?: readonly string[];
  readonly types?: readonly string[];
}

const isRefused = (error: unknown): boolean => error instanceof ProblemError && error.status < 500;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: false,
      // the client repeats what can be repeated
      retry: (count, error) => count < 1 && !isRefused(error),
      throwOnError: false,
    },
  },
});

/** Queries that changed while they were being read; they are read again. */
const outdated = new Set<string>();

function isAffected({ meta }: Query, { ids, types }: Changes): boolean {
  const watch = meta?.['watch'] as Watch | undefined;
  return (
    (watch?.ids?.some(id => ids.includes(id)) ?? false) || (watch?.types?.some(type => types.includes(type)) ?? false)
  );
}

/** Events only say what is outdated: what is on the screen is read again, and nothing else. */
function refresh(changes: Changes): void {
  const cache = queryClient.getQueryCache();
  for (const query of cache.getAll()) {
    if (!isAffected(query, changes) && !outdated.has(query.queryHash)) continue;
    if (isStopped(query)) continue;
    if (!query.isActive()) void query.invalidate();
    else if (query.state.fetchStatus === 'fetching') outdated.add(query.queryHash);
    else {
      outdated.delete(query.queryHash);
      void queryClient.refetchQueries({ queryKey: query.queryKey, exact: true });
    }
  }
}

/** While the API was away, no event came for what failed then, or waits since then to be repeated: it is read again. */
async function readAgain(): Promise<void> {
  const isWithout = ({ state }: Query): boolean => state.status === 'error' || state.fetchStatus === 'fetching';
  const found = new Set(queryClient.getQueryCache().findAll({ predicate: isWithout }));
  const filters = { predicate: (query: Query) => found.has(query) };
  await queryClient.cancelQueries(filters);
  await queryClient.refetchQueries({ ...filters, type: 'active' });
}

let { live } = session.current();
session.watch(() => {
  const before = live;
  ({ live } = session.current());
  if (live === 'live' && before === 'reconnecting') void readAgain();
});
session.onChanges(refresh);
queryClient.getQueryCache().subscribe(({ type, query }) => {
  if (type !== 'updated' || query.state.fetchStatus !== 'idle' || !outdated.delete(query.queryHash)) return;
  if (query.isActive()) void queryClient.refetchQueries({ queryKey: query.queryKey, exact: true });
});
