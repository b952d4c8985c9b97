import { setTimeout as pause } from 'node:timers/promises';
import { policyBindingsStream, type DomainEvent } from '@stave/domain';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

let harness: NodeGroupHarness;
beforeEach(async () => void (harness = await NodeGroupHarness.open()));
afterEach(() => harness.close());

const policy: DomainEvent = {
  type: 'PolicyCreated',
  data: {
    ...{ id: 'p1', name: 'out', projectId: 'default', type: 'scaling', version: '1.0' },
    properties: { direction: 'out', adjustment: { type: 'change', number: 2 }, cooldownSeconds: 0 },
  },
};

/** Delays the events of attachments on their way to the replicas, as a slow connection to the store does. */
function delayAttachments(): void {
  const { store } = harness;
  const subscribe = store.subscribe.bind(store);
  jest.spyOn(store, 'subscribe').mockImplementation(options =>
    subscribe({
      ...options,
      onEvents: async (events, position) => {
        if (events.some(({ stream }) => stream.startsWith(policyBindingsStream.category))) await pause(200);
        await options.onEvents(events, position);
      },
    }),
  );
}

it('an action scale follows a policy that was attached before it, although this replica has yet to follow that event', async () => {
  delayAttachments();
  const replica = await harness.replica();
  const { groupIds } = await harness.cluster({ w: 1 });
  await harness.workUntil(async () => (await harness.all('NodeGroupBecameActive')).length > 0, 'the group is ACTIVE');
  await harness.append('policy-p1', policy);
  const target = { type: 'nodeGroup', id: groupIds[0] ?? '' };
  await harness.append(`policyBindings-${target.id}`, {
    type: 'PolicyAttached',
    data: { policyId: 'p1', policyType: 'scaling', target, enabled: true, priority: 1 },
  });
  const body = { id: target.id, action: 'scale', direction: 'out' };
  expect(await replica.ask('node-group', 'action', body)).toMatchObject({ resource: { count: 3 } });
});
