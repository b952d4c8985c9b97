import type { Mutation } from './mutation.js';
import { call, replaceMethod, withMembers, type Method } from './replace-method.js';

const RING = 'apps/cluster-service/src/ring';
const CONDUCTOR = 'apps/conductor/src';

export const sessionMutations: readonly Mutation[] = [
  {
    name: "the conductor's session guard ignores the clock",
    profile: 'frozen at changes',
    noticedBy: ['change-after-session'],
    apply: () =>
      replaceMethod(
        `${CONDUCTOR}/session/session-guard.ts`,
        'SessionGuard',
        'isLost',
        () =>
          function (this: { readonly lost: boolean }) {
            return this.lost;
          } as Method,
      ),
  },
  {
    name: 'the ring accepts registrations that were overtaken',
    profile: 'directed',
    script: 'late registrations',
    noticedBy: ['change-after-session'],
    apply: () =>
      replaceMethod(
        `${RING}/ring-registrar.ts`,
        'RingRegistrar',
        'register',
        original =>
          function (this: object, request: object) {
            return call(original, this, { ...request, basedOn: undefined });
          } as Method,
      ),
  },
  {
    name: 'a session without a heartbeat so far counts as expired',
    profile: 'directed',
    script: 'unheard sessions',
    noticedBy: ['change-after-session'],
    apply: () =>
      replaceMethod(
        `${RING}/heartbeat-log.ts`,
        'HeartbeatLog',
        'lastAt',
        () =>
          function (this: { readonly heard: ReadonlyMap<string, { readonly at: number }> }, session: string) {
            return this.heard.get(session)?.at ?? Number.NEGATIVE_INFINITY;
          } as Method,
      ),
  },
  {
    name: 'replicas that do not lead keep sessions alive',
    profile: 'directed',
    script: 'unheard by the leader',
    noticedBy: ['change-after-session'],
    apply: () =>
      replaceMethod(
        `${RING}/session-keeper.ts`,
        'SessionKeeper',
        'beat',
        original =>
          function (this: object, ...heard: unknown[]) {
            return call(original, withMembers(this, { listeningSince: 0 }), ...heard);
          } as Method,
      ),
  },
];
