import { describeOn, expectProblem, expectStatus, natsMissing, uniqueName } from '@stave/testing';
import { startDistributedProduct } from './distributed-product.js';
import { Fleet } from './fleet.js';
import { describeNamedFlavors, FAKE_FLAVORS, tiny } from './named-flavors.suite.js';
import { EmbeddedStack, type Stack } from './stack.js';
import { CLUSTERS } from './template-requests.js';
import type { ResourceView } from './views.js';

jest.setTimeout(120_000);

describe('the product in one process', () => {
  let stack: EmbeddedStack;
  beforeAll(async () => {
    stack = await EmbeddedStack.start(undefined, { FAKE_FLAVORS });
  });
  afterAll(() => stack?.close());
  describeNamedFlavors(() => stack);

  it('a repeated creation gets the first answer although the flavor has changed since, and a new one the new sizes', async () => {
    const body = (name: string) => {
      const group = { name: 'w', role: 'worker', count: 1, flavor: { name: 'tiny' } };
      return { name, driver: 'fake', nodeGroups: [group] };
    };
    const name = uniqueName('c');
    const ask = (fleet: Fleet) =>
      fleet.api.post<ResourceView>('/v1/clusters', body(name), { idempotencyKey: `key-${name}` });
    const first = await ask(new Fleet(stack));
    const { id } = await new Fleet(stack).api.succeed(first);
    await stack.end('SIGTERM');
    stack = await EmbeddedStack.start(stack.dataDir, { FAKE_FLAVORS: 'tiny=1:512' });
    const fleet = new Fleet(stack);
    const again = expectStatus(await ask(fleet), 202);
    expect(again.body).toEqual(first.body);
    expect(await fleet.group(id)).toMatchObject({ flavor: tiny });
    const other = await fleet.api.succeed(fleet.api.post<ResourceView>('/v1/clusters', body(uniqueName('c'))));
    expect(await fleet.group(other.id)).toMatchObject({ flavor: { name: 'tiny', cpus: 1, memoryMb: 512 } });
  });
});

describe('a driver that knows no flavors by name', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await EmbeddedStack.start();
  });
  afterAll(() => stack?.close());

  it('needs the sizes, of clusters, of node groups and of its templates', async () => {
    const fleet = new Fleet(stack);
    const flavor = { name: 'tiny' };
    const group = { name: 'w', role: 'worker', count: 1, flavor };
    const both = (base: string) => [`${base}/cpus`, `${base}/memoryMb`];
    const answer = await fleet.ask({ defaults: { flavor } }, [group]);
    const problem = expectProblem(answer, 422, ...both('/defaults/flavor'), ...both('/nodeGroups/0/flavor'));
    expect(new Set(problem.errors?.map(({ code }) => code))).toEqual(new Set(['required']));
    const { id } = await fleet.cluster({}, [{ count: 1 }]);
    expectProblem(
      await fleet.api.post(`/v1/clusters/${id}/node-groups`, { ...group, name: 'x' }),
      422,
      ...both('/flavor'),
    );
    const template = { name: uniqueName('t'), driver: 'fake', defaults: { flavor } };
    expectProblem(await fleet.api.post(CLUSTERS, template), 422, ...both('/defaults/flavor'));
    const patched = await fleet.api.patch(`/v1/clusters/${id}`, { defaults: { flavor } });
    expectProblem(patched, 422, ...both('/defaults/flavor'));
  });
});

describeOn(natsMissing(), 'the product in separate processes', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startDistributedProduct({ env: { FAKE_FLAVORS } });
  });
  afterAll(() => stack?.close());
  describeNamedFlavors(() => stack);
});
