import { groupToken, ringKey, RingView, type RingEvent } from '@stave/domain';
import { GroupProof } from './group-proof.js';
import { MemberProof } from './member-proof.js';
import type { RingFollower } from './ring-follower.js';

const [ofA, ofB] = [groupToken('site-a'), groupToken('site-b')];

/** A ring with the conductor `a` in `site-a`, `b` in `site-b`, and a service. */
function proof(): MemberProof {
  const view = new RingView();
  const join = (conductor: string, group: string, kind: 'conductor' | 'service' = 'conductor'): RingEvent => ({
    type: 'ConductorJoined',
    data: {
      ...{ conductor, kind, group, session: `s-${conductor}`, weight: 1, release: '0.1.0', keyMode: 'group' as const },
      drivers: kind === 'service' ? [] : [{ name: 'fake', version: '1.0.0', compatibleFrom: '1.0.0' }],
    } as unknown as Extract<RingEvent, { type: 'ConductorJoined' }>['data'],
  });
  [join('a', 'Site-A'), join('b', 'site-b'), join('nodegroup-service-1', '', 'service')].forEach((event, i) =>
    view.apply(event, i),
  );
  const ring = { view, refresh: async () => undefined } as unknown as RingFollower;
  return new MemberProof(ring, new GroupProof(ring));
}

const holding = (group: string) => ({ key: ringKey(group, 'fake', 'group'), version: '1.0.0', slots: [1] });

describe('what the subject of a message of a conductor proves', () => {
  it.each([
    ['register', 'conductor', { conductor: 'a2', group: 'SITE-A' }],
    ['epoch', 'conductor', {}],
    ['leave', 'conductor', { conductor: 'a', session: 's-a' }],
    ['leave', 'conductor', { conductor: 'gone', session: 's' }],
    ['claim', 'task', { conductor: 'a', session: 's-a', holdings: [holding('site-a')] }],
    ['claim', 'task', { conductor: 'a', session: 's-a', holdings: [{ key: 'fake' }] }],
    ['report', 'task', { conductor: 'a', session: 's-a' }],
    ['recovered', 'task', { attempts: [{ conductor: 'a' }, { conductor: 'gone' }] }],
    ['classify', 'orphan', { units: [] }],
    ['removed', 'orphan', { conductor: 'a' }],
    ['observed', 'health', { conductor: 'a' }],
  ])('%s of %s is believed from the group itself', async (verb, resource, body) => {
    expect(await proof().refusal(ofA, [resource, verb], body)).toBeUndefined();
  });

  it.each([
    ['register', 'conductor', { conductor: 'x', group: 'site-a' }],
    ['register', 'conductor', { conductor: 'a', group: 'site-b' }],
    ['register', 'conductor', { conductor: 'x', group: 'site-b', kind: 'service' }],
    ['register', 'conductor', {}],
    ['table', 'conductor', { conductor: 'a', session: 's-a' }],
    ['leave', 'conductor', { conductor: 'a', session: 's-a' }],
    ['leave', 'conductor', { conductor: 'nodegroup-service-1', session: 's' }],
    ['claim', 'task', { conductor: 'a', session: 's-a', holdings: [holding('site-a')] }],
    ['claim', 'task', { conductor: 'b', session: 's-b', holdings: [holding('site-b'), holding('site-a')] }],
    ['report', 'task', { conductor: 'a', session: 's-a' }],
    ['recovered', 'task', { attempts: [{ conductor: 'b' }, { conductor: 'a' }] }],
    ['removed', 'orphan', { conductor: 'a' }],
    ['removed', 'orphan', { conductor: 'nobody' }],
    ['expected', 'health', { conductor: 'a', holdings: [holding('site-a')], everySlot: true }],
    ['expected', 'health', { conductor: 'b', holdings: [holding('site-a')], everySlot: true }],
    ['observed', 'health', { conductor: 'a' }],
    ['observed', 'health', { conductor: 'nobody' }],
  ])('%s of %s as somebody of another group is refused: %j', async (verb, resource, body) => {
    expect(await proof().refusal(ofB, [resource, verb], body)).toMatchObject({
      code: 'member-not-proven',
      kind: 'forbidden',
    });
  });
});
