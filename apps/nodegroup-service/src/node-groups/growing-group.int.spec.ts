import { ResourceModel } from '@stave/service-kit';
import { NodeGroupHarness } from '../nodegroup.fixture.js';

/** Builds a group of this many nodes, one after the other. Returns how many states the service looked up for each of them. */
async function lookedUpForEach(nodes: number): Promise<number> {
  const harness = await NodeGroupHarness.open();
  await harness.replica();
  const get = jest.spyOn(ResourceModel.prototype, 'get');
  try {
    await harness.cluster({ a: nodes });
    const isActive = async (): Promise<boolean> => (await harness.all('NodeGroupBecameActive')).length === 1;
    await harness.workUntil(isActive, 'the group is ACTIVE');
    return get.mock.calls.length / nodes;
  } finally {
    get.mockRestore();
    await harness.close();
  }
}

it('the build of a node examines as many other nodes in a large group as in a small one', async () => {
  const [small, large] = [await lookedUpForEach(20), await lookedUpForEach(160)];
  expect(large).toBeGreaterThan(1);
  expect(large).toBeLessThan(1.5 * small);
});
