import type { Mutation } from './mutation.js';
import { call, replaceMethod, withMembers, type Method } from './replace-method.js';

const KIT = 'libs/service-kit/src';
const CONDUCTOR = 'apps/conductor/src';
const board = `${KIT}/work/task-board.ts`;

interface Claimed {
  readonly taskId: string;
  readonly attempt: number;
  readonly conductor: string;
  readonly session: string;
}

interface Board {
  readonly index: { remove(id: string): void };
  readonly source: {
    readonly model: { get(id: string): object | undefined };
    work(state: object): { readonly claim?: Claimed; readonly wanted?: { readonly attempt: number } };
  };
  readonly options: { readonly ring: { readonly view: { isLive(session: string): boolean } } };
}

/** Ignores claims of other live sessions. */
const claimCheck = (original: Method) =>
  function (this: Board, request: { readonly session: string }) {
    const { ring } = this.options;
    const isLive = (session: string): boolean => session === request.session && ring.view.isLive(session);
    const view = withMembers(ring.view, { isLive });
    const options = { ...this.options, ring: withMembers(ring, { view }) };
    return call(original, withMembers(this, { options }), request);
  } as Method;

/** Treats every report as one of the current claim. */
const reportEquality = (original: Method) =>
  function (this: Board, request: { readonly resource: { readonly id: string } }) {
    const state = this.source.model.get(request.resource.id);
    const claim = state && this.source.work(state).claim;
    return call(original, this, { ...request, ...claim });
  } as Method;

/** Treats a claim as one of an epoch that every replica has seen. */
const ringBehind = (original: Method) =>
  function (this: Board, ...args: unknown[]) {
    const work = (state: object): object => {
      const known = this.source.work(state);
      return known.claim ? { ...known, claim: { ...known.claim, epoch: -1 } } : known;
    };
    return call(original, withMembers(this, { source: { ...this.source, work } }), ...args);
  } as Method;

/** Does not hand out released work again. */
const forgetsReleased = (original: Method) =>
  function (this: Board, id: string, ...args: unknown[]) {
    const state = this.source.model.get(id);
    const { claim, wanted } = state ? this.source.work(state) : {};
    return !claim && (wanted?.attempt ?? 0) > 0 ? this.index.remove(id) : call(original, this, id, ...args);
  } as Method;

export const claimMutations: readonly Mutation[] = [
  {
    name: 'the task board hands out work that another live session holds',
    profile: 'usual',
    noticedBy: ['claims-overlap', 'change-without-claim'],
    apply: () => replaceMethod(board, 'TaskBoard', 'claim', claimCheck),
  },
  {
    name: 'the task board accepts every report as one of the current claim',
    profile: 'frozen at changes',
    noticedBy: ['stale-report-counted'],
    apply: () => replaceMethod(board, 'TaskBoard', 'report', reportEquality),
  },
  {
    name: 'the task board trusts a ring that is behind the claim',
    profile: 'directed',
    script: 'ring behind',
    noticedBy: ['claims-overlap', 'change-without-claim'],
    apply: () => replaceMethod(board, 'TaskBoard', 'claimOne', ringBehind),
  },
  {
    name: 'the task board forgets work that was released',
    profile: 'usual',
    noticedBy: ['not-converged', 'unit-left-over'],
    apply: () => replaceMethod(board, 'TaskBoard', 'update', forgetsReleased),
  },
  {
    name: 'a claim whose answer was lost is neither repeated nor checked',
    profile: 'usual',
    noticedBy: ['not-converged', 'unit-left-over'],
    apply: () =>
      replaceMethod(
        `${KIT}/work/claim-delivery-tracker.ts`,
        'ClaimDeliveryTracker',
        'dueInMs',
        () => () => 1_000_000_000,
      ),
  },
  {
    name: 'a claim worker keeps its first session',
    profile: 'usual',
    noticedBy: ['not-converged', 'unit-left-over'],
    apply: () =>
      replaceMethod(
        `${CONDUCTOR}/work/claim-worker.ts`,
        'ClaimWorker',
        'use',
        original =>
          function (this: { readonly session?: object }, session: object) {
            return this.session ? undefined : call(original, this, session);
          } as Method,
      ),
  },
];
