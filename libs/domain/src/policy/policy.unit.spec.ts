import { given } from '../kernel/given.fixture.js';
import { aPolicy } from './policies.fixture.js';
import { attachPolicy, closeBindings, detachPolicy, endAttachment, policyBindingsStream } from './policy-bindings.js';
import { createPolicy, deletePolicy, policyStream, updatePolicy, type PolicyEvent } from './policy.js';
import { policyTargets, policyTypes, type PolicyProperties, type PolicyTargetType } from './policy-types.js';

const data = { id: 'x', name: 'fill', projectId: 'p', type: 'placement', version: '1.0' } as const;
const scorers = { leastCpu: 1 };
const created: PolicyEvent = { type: 'PolicyCreated', data: { ...data, properties: { scorers } } };
const target = { type: 'cluster', id: 'c' } as const;

const pointersOf = (properties: PolicyProperties, type: (typeof policyTypes)[number] = 'placement') => {
  const decision = createPolicy({ ...data, type, properties });
  return decision.ok ? [] : (decision.refusal.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
};

describe('a policy', () => {
  it('is refused with every member that takes no effect, and every entry that is listed twice', () => {
    const zones = [{ name: 'a' }, { name: 'a', region: 'eu' }, { name: 'a', region: 'eu' }];
    expect(pointersOf({ scorers, zones })).toContain('/properties/zones/2 duplicate');
    expect(pointersOf({ unknown: { member: 1 } } as never)).toEqual(['/properties/unknown/member no-effect-yet']);
  });

  it('of scaling needs a direction and an adjustment, whose least step belongs to percentages', () => {
    expect(pointersOf({}, 'scaling')).toEqual(['/properties/direction required', '/properties/adjustment required']);
    const adjustment = { type: 'change', number: 1, minStep: 2 } as const;
    const refused = pointersOf({ direction: 'in', adjustment }, 'scaling');
    expect(refused).toContain('/properties/adjustment/minStep not-applicable');
    expect(pointersOf({}, 'affinity')).toEqual(['/properties/rules required']);
  });

  it('gets a revision with each change that has an effect', () => {
    const change = (properties: PolicyProperties) => () => properties;
    const { state, when } = given(policyStream, created);
    expect(state?.revision).toBe(1);
    when(s => updatePolicy(s, { change: change({ scorers }), targets: [] })).then();
    const properties = { scorers: { leastCpu: 2 } };
    when(s => updatePolicy(s, { change: change(properties), targets: [target] })).then({
      type: 'PolicyUpdated',
      data: { properties },
    });
    expect(given(policyStream, created, { type: 'PolicyUpdated', data: { properties } }).state?.revision).toBe(2);
    when(s => updatePolicy(s, { change: change(properties), targets: [], ifMatch: 7 })).thenRefused(
      'revision-mismatch',
    );
    const group = { type: 'nodeGroup', id: 'g' } as const;
    when(s => updatePolicy(s, { change: change(properties), targets: [group] })).thenRefused('no-effect-here');
  });

  it('is not deleted while it is attached, unless it is detached', () => {
    const { when } = given(policyStream, created);
    when(s => deletePolicy(s, { targets: [target], detach: false })).thenRefused('attached');
    when(s => deletePolicy(s, { targets: [target], detach: true })).thenTypes('PolicyDeleted');
    when(s => deletePolicy(s, { targets: [], detach: false })).thenTypes('PolicyDeleted');
    const deleted = given(policyStream, created, { type: 'PolicyDeleted', data: {} });
    deleted.when(s => deletePolicy(s, { targets: [], detach: false })).thenRefused('not-found');
  });
});

describe('the policies of a target', () => {
  const policy = aPolicy('x', 'placement', { scorers });
  const attach = { policyId: 'x', policy, target, enabled: true, priority: 100 };
  const attached = { policyId: 'x', policyType: 'placement', target, enabled: true, priority: 100 } as const;

  it('a policy is attached once; a second request changes its attachment', () => {
    const { when } = given(policyBindingsStream);
    when(s => attachPolicy(s, attach)).then({ type: 'PolicyAttached', data: attached });
    const after = given(policyBindingsStream, { type: 'PolicyAttached', data: attached });
    after.when(s => attachPolicy(s, attach)).then();
    const changed = { policyId: 'x', enabled: false, priority: 1 };
    after.when(s => attachPolicy(s, { ...attach, ...changed })).then({ type: 'AttachmentChanged', data: changed });
    after.when(s => attachPolicy(s, { ...attach, ...changed, ifMatch: 2 })).thenRefused('revision-mismatch');
    after.when(s => detachPolicy(s, 'x', 1)).thenTypes('PolicyDetached');
    after.when(s => detachPolicy(s, 'x', 2)).thenRefused('revision-mismatch');
    after.when(s => detachPolicy(s, 'y')).thenRefused('not-found');
    after.when(s => endAttachment(s, 'y')).then();
  });

  it.each(policyTypes)('a policy of the type %s is refused by the targets that it does not have', type => {
    for (const other of ['containerSet', 'nodeGroup', 'cluster'] satisfies PolicyTargetType[]) {
      const isRefused = !policyTargets[type].includes(other);
      const of = { ...attach, policy: aPolicy('x', type, {}), target: { type: other, id: 't' } };
      const { when } = given(policyBindingsStream);
      if (isRefused) when(s => attachPolicy(s, of)).thenRefused('wrong-target');
      else when(s => attachPolicy(s, of)).thenTypes('PolicyAttached');
    }
  });

  it('properties that take no effect on the target are refused', () => {
    const { when } = given(policyBindingsStream);
    const group = { type: 'nodeGroup', id: 'g' } as const;
    const health = aPolicy('x', 'health', { actions: [{ do: 'restart' }] });
    when(s => attachPolicy(s, { ...attach, policy: health, target: group })).thenRefused('no-effect-here');
  });

  it('nothing is attached after the deletion of the target or of the policy', () => {
    const { when } = given(policyBindingsStream, { type: 'PolicyAttached', data: attached });
    when(closeBindings).then({ type: 'PolicyBindingsClosed', data: { policyIds: ['x'] } });
    when(s => attachPolicy(s, { ...attach, policy: { ...policy, deleted: true } })).thenRefused('not-found');
    const closed = given(
      policyBindingsStream,
      { type: 'PolicyAttached', data: attached },
      { type: 'PolicyBindingsClosed', data: { policyIds: ['x'] } },
    );
    expect(closed.state.attachments.size).toBe(0);
    closed.when(s => attachPolicy(s, attach)).thenRefused('being-deleted');
    closed.when(closeBindings).then();
  });

  it('holds a hundred policies at most', () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      type: 'PolicyAttached' as const,
      data: { ...attached, policyId: `p${i}` },
    }));
    given(policyBindingsStream, ...many)
      .when(s => attachPolicy(s, attach))
      .thenRefused('too-many-policies');
  });
});
