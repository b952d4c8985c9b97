import { removeSetMember } from './container-set-decider.js';
import { ends, MINUTE, runningSet } from './running-set.fixture.js';
import { resizeContainerSet } from './set-actions.js';
import { endMemberRelease } from './set-release.js';
import type { SetSimulation } from './set-simulation.fixture.js';

const hook = { timeoutSeconds: 600, policyId: 'x', policyRevision: 1 };
const hooked = (options: object = {}): SetSimulation =>
  runningSet({ desired: 3, policies: { deletion: { hook } }, ...options });
const to = (set: SetSimulation, number: number): void => {
  const { id: operationId } = set.operation('resize');
  set.take(s => resizeContainerSet(s, { adjustment: { type: 'exact', number }, operationId }));
  set.settle();
};
const awaiting = (set: SetSimulation): readonly string[] => set.staying.filter(m => m.release).map(m => m.id);
const answer = (set: SetSimulation, action: 'release' | 'abort', memberId = awaiting(set)[0] ?? ''): void => {
  set.take(s => endMemberRelease(s, { memberId, action }));
  set.run(MINUTE);
};

describe('hooks before a removal', () => {
  it('a victim stays available until it is released', () => {
    const set = hooked();
    to(set, 2);
    set.run(5 * MINUTE);
    expect([awaiting(set).length, set.available, set.state.operations.length]).toEqual([1, 3, 1]);
    expect(set.of('MembersReleaseAwaited')[0]?.data).toMatchObject({
      ...hook,
      reason: 'scaled in',
      onTimeout: 'proceed',
    });
    answer(set, 'release');
    expect([set.members.length, set.state.status, ends(set).at(-1)]).toEqual([2, 'ACTIVE', ['SUCCEEDED', undefined]]);
  });

  it('an abort keeps the victim and the desired number, and the operation fails', () => {
    const set = hooked();
    to(set, 1);
    expect(awaiting(set)).toHaveLength(2);
    answer(set, 'abort');
    expect([set.state.spec.desired, set.staying.length, awaiting(set).length]).toEqual([2, 3, 1]);
    expect(ends(set).at(-1)).toEqual(['FAILED', 'release-aborted']);
    answer(set, 'release');
    expect([set.staying.length, set.state.status]).toEqual([2, 'ACTIVE']);
  });

  it('a victim that is needed again stays', () => {
    const set = hooked();
    const ids = set.staying.map(m => m.id);
    to(set, 1);
    to(set, 3);
    set.run(MINUTE);
    expect([awaiting(set), set.staying.map(m => m.id), set.state.status]).toEqual([[], ids, 'ACTIVE']);
    expect(set.of('MembersReleased').map(e => e.data.outcome)).toEqual(['not-needed']);
  });

  it('hooks end at once when the policy does not count any more', () => {
    const set = hooked();
    to(set, 2);
    Object.assign(set.options, { policies: {} });
    set.run(MINUTE);
    expect([set.staying.length, set.of('MembersReleased')[0]?.data.outcome]).toEqual([2, 'no-policy']);
  });

  it('a removal on request waits too, and lowers the desired number only with the release', () => {
    const set = hooked();
    const memberId = set.staying[0]?.id ?? '';
    const operation = set.operation('remove');
    set.take(s => removeSetMember(s, { memberId, operation, reduceDesired: true, hook }));
    set.run(MINUTE);
    expect([set.state.spec.desired, awaiting(set), set.available]).toEqual([3, [memberId], 3]);
    const again = removeSetMember(set.state, { memberId, operation, hook });
    expect(again).toMatchObject({ ok: false, refusal: { code: 'being-deleted' } });
    answer(set, 'release');
    expect([set.state.spec.desired, set.staying.length, set.state.status]).toEqual([2, 2, 'ACTIVE']);
    expect(ends(set).at(-1)).toEqual(['SUCCEEDED', undefined]);
  });

  it('members that are not available do not wait', () => {
    const set = hooked();
    const id = set.staying[0]?.id ?? '';
    Object.assign(set.units.get(id) ?? {}, { health: 'unhealthy' });
    set.settle();
    to(set, 2);
    expect([awaiting(set), set.state.members.get(id)?.leaving]).toEqual([[], true]);
  });

  it('the budget does not count a member that waits: a rollout takes no more away than without it', () => {
    const set = hooked({ strategy: { maxSurge: 0, maxUnavailable: 1 } });
    to(set, 2);
    set.roll('web:2');
    const least = { available: 9 };
    set.check = () => {
      const counted = set.staying.filter(m => !m.release && set.isAvailable(m.id)).length;
      least.available = Math.min(least.available, counted);
    };
    set.run(5 * MINUTE);
    expect(least.available).toBe(1);
    answer(set, 'release');
    set.run(5 * MINUTE);
    expect([set.state.status, set.images]).toEqual(['ACTIVE', ['web:2', 'web:2']]);
  });

  it('what waits for nothing cannot be released', () => {
    const set = hooked();
    const memberId = set.staying[0]?.id ?? '';
    expect(endMemberRelease(set.state, { memberId, action: 'release' })).toMatchObject({
      refusal: { code: 'no-release-awaited' },
    });
  });
});
