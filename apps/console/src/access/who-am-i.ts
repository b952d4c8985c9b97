import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { WhoAmI } from '../api/types.js';
import { session } from '../session/session.js';

export const useWhoAmI = (): UseQueryResult<WhoAmI> =>
  useQuery({
    queryKey: ['who am I'],
    queryFn: async ({ signal }) => (await session.client.get('/v1/whoami', { signal })).data,
    staleTime: 60_000,
  });

const ranks = ['reader', 'member', 'admin', 'operator'] as const;
export type Role = (typeof ranks)[number];

/** Whether one has a role in a project, or in one at all; undefined while it is not known. */
export function useHasRole(role: Role, project?: string): boolean | undefined {
  const { data: me } = useWhoAmI();
  if (!me) return undefined;
  if (me.operator) return true;
  const own = me.projects.filter(({ id }) => project === undefined || id === project);
  return own.some(one => ranks.indexOf(one.role) >= ranks.indexOf(role));
}
