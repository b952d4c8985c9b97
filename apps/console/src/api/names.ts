import { useQuery } from '@tanstack/react-query';
import { readAt, readPage } from './any-path.js';
import { resourceTypes } from './resource-types.js';
import type { StaveEvent } from './types.js';

/** As many ids as one request names. */
const AT_ONCE = 100;

interface Asked {
  readonly id: string;
  readonly take: (name: string | undefined) => void;
}

const waiting = new Map<string, Asked[]>();

async function readNames(type: string, asked: readonly Asked[]): Promise<void> {
  const path = resourceTypes[type]?.list ?? '';
  const ids = [...new Set(asked.map(({ id }) => id))];
  const query = { id: ids.join(), fields: 'name', limit: AT_ONCE };
  const { items } = await readPage<{ id: string; name: string }>(path, query, AbortSignal.timeout(30_000));
  const names = new Map(items.map(({ id, name }) => [id, name]));
  for (const { id, take } of asked) take(names.get(id));
}

function readWaiting(): void {
  for (const [type, all] of waiting)
    for (let done = 0; done < all.length; done += AT_ONCE) {
      const asked = all.slice(done, done + AT_ONCE);
      // without an answer the id is shown, as of a resource that is gone
      void readNames(type, asked).catch(() => asked.forEach(({ take }) => take(undefined)));
    }
  waiting.clear();
}

/** Names that a page shows at once are read with one request for each type. */
function readName(type: string, id: string): Promise<string | undefined> {
  return new Promise(take => {
    if (waiting.size === 0) setTimeout(readWaiting);
    waiting.set(type, [...(waiting.get(type) ?? []), { id, take }]);
  });
}

/** The name of what was deleted is in its first event. */
async function readFormerName(type: string, id: string): Promise<string | undefined> {
  const path = `${resourceTypes[type]?.list}/${id}/events`;
  const { items } = await readAt<{ items: readonly StaveEvent[] }>(path, { limit: 1 }, AbortSignal.timeout(30_000));
  const name = (items[0]?.data as { readonly name?: unknown } | undefined)?.name;
  return typeof name === 'string' ? name : undefined;
}

const shortOf = (id: string): string => (id.length > 20 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);

/** The name of a resource, also of one that is deleted; until it is read, and where it has none, a short form of its id. */
export function useName(type: string, id: string | null | undefined): string {
  const isNamed = type in resourceTypes && id !== null && id !== undefined && id !== '';
  const { data } = useQuery({
    queryKey: ['name', type, id],
    enabled: isNamed,
    staleTime: 300_000,
    queryFn: async () =>
      (await readName(type, id ?? '')) ?? (await readFormerName(type, id ?? '').catch(() => null)) ?? null,
  });
  return data ?? shortOf(id ?? '');
}

interface InCluster {
  readonly clusterId: string;
  readonly name: string;
}

/** What the command line calls something in a cluster, such as `shop/workers`. */
export const useReference = ({ clusterId, name }: InCluster): string => `${useName('cluster', clusterId)}/${name}`;
