import { readJournal } from '@stave/driver-fake';
import { expectStatus, operationIdOf } from '@stave/testing';
import { Fleet } from './fleet.js';
import { EmbeddedStack } from './stack.js';
import type { ClusterView } from './views.js';

jest.setTimeout(120_000);

describe('a driver that acts on a cluster with all its nodes at once', () => {
  let stack: EmbeddedStack;
  let fleet: Fleet;
  beforeAll(async () => {
    stack = await EmbeddedStack.start(undefined, { FAKE_CLUSTER_ACTIONS: 'true' });
    fleet = new Fleet(stack);
  });
  afterAll(() => stack?.close());

  /** Returns the operations of the driver that changed units of a cluster, in order. */
  const changes = async (clusterId: string): Promise<readonly string[]> => {
    const operations: string[] = [];
    for await (const { put = [], effect, caller } of readJournal(stack.journalPath))
      if (effect && put.some(unit => unit.clusterId === clusterId)) operations.push(caller.operation);
    return operations;
  };

  it.each([
    ['rebuild', {}, 'cluster.rebuild'],
    ['reboot', { type: 'soft' }, 'cluster.softReboot'],
    ['reboot', { type: 'hard' }, 'cluster.hardReboot'],
  ])('%s %j is one task of the cluster and none of its nodes', async (action, body, task) => {
    const { id } = await fleet.cluster({}, [{ count: 3 }]);
    const before = await fleet.nodes(id);
    const plan = await fleet.api.post<PlanView>(`/v1/clusters/${id}/actions/${action}?dryRun=true`, body);
    expect(expectStatus(plan, 200).body.steps.map(({ action: what, resource }) => [what, resource.type])).toEqual([
      ['change', 'cluster'],
    ]);
    const answer = expectStatus(await fleet.api.post(`/v1/clusters/${id}/actions/${action}`, body), 202);
    const operation = await fleet.api.operation(operationIdOf(answer) ?? '');
    expect(operation).toMatchObject({ status: 'SUCCEEDED', progress: { done: 1, total: 1 } });
    expect(await fleet.nodes(id)).toEqual(before);
    const done = (await changes(id)).slice(4);
    expect(done).toEqual(Array.from({ length: 4 }, () => task));
  });

  it('work on nodes waits until the action has ended', async () => {
    const { id } = await fleet.cluster({}, [{ count: 2 }]);
    const before = (await fleet.nodes(id)).map(node => node.id);
    await fleet.api.succeed(fleet.api.patch(`/v1/clusters/${id}`, { options: { latencyMs: 500 } }));
    const answer = await fleet.api.post<ClusterView>(`/v1/clusters/${id}/actions/rebuild`, {});
    expectStatus(await fleet.api.post(`/v1/clusters/${id}/node-groups/w/actions/resize`, { count: 3 }), 202);
    await fleet.api.succeed(answer);
    const after = (await fleet.settled(id, 3)).map(node => node.id);
    expect(after).toEqual(expect.arrayContaining(before));
    const operations = await changes(id);
    expect(operations.filter(each => each === 'cluster.rebuild')).toHaveLength(3);
    expect(operations.lastIndexOf('cluster.rebuild')).toBeLessThan(operations.lastIndexOf('node.create'));
  });

  it('an action that the driver refuses holds nothing back afterwards, and is retried', async () => {
    const { id } = await fleet.cluster({ options: { refuse: { 'cluster.hardReboot': 1 } } }, [{ count: 1 }]);
    const answer = expectStatus(await fleet.api.post(`/v1/clusters/${id}/actions/reboot`, { type: 'hard' }), 202);
    expect(await fleet.api.operation(operationIdOf(answer) ?? '')).toMatchObject({ status: 'FAILED' });
    const failed = await fleet.api.read<{ status: string; statusReason?: string }>(`/v1/clusters/${id}`);
    expect(failed).toMatchObject({
      status: 'DEGRADED',
      statusReason: expect.stringMatching(/^the cluster could not be rebooted: /),
    });
    await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/node-groups/w/actions/resize`, { count: 2 }));
    await fleet.api.succeed(fleet.api.post(`/v1/clusters/${id}/actions/retry`, {}));
    expect(await fleet.api.read(`/v1/clusters/${id}`)).toMatchObject({ status: 'ACTIVE' });
  });
});

interface PlanView {
  readonly steps: readonly { readonly action: string; readonly resource: { readonly type: string } }[];
}
