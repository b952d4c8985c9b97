import type { ExpectedReply } from '@stave/contracts';
import { SESSION } from '@stave/service-kit/testing';
import { SchedulerHarness } from '../scheduler.fixture.js';

describe('health of containers', () => {
  let harness: SchedulerHarness;
  beforeEach(async () => {
    harness = await SchedulerHarness.open();
  });
  afterEach(() => harness.close());

  const expected = async (): Promise<ExpectedReply['units']> => {
    const holdings = [{ key: ':fake', version: '1.0.0' }];
    const body = { conductor: 'one', session: SESSION, epoch: 0, holdings, max: 10 };
    return (await harness.first.ask<ExpectedReply>('health', 'expected', body)).units;
  };
  const observe = (resourceId: string, observation: object): Promise<unknown> => {
    const observations = [{ resourceId, generation: 1, ...observation }];
    return harness.first.ask('health', 'observed', { conductor: 'one', session: SESSION, observations });
  };

  it('a container shows how it ended on its node, and is created again by a start when it is missing', async () => {
    const nodeId = await harness.node('n1');
    await harness.createProfile();
    const { id } = (await harness.createContainer()).resource;
    expect(await expected()).toEqual([]);
    await harness.completeTask('container.create');
    await harness.containerIs(id, 'ACTIVE');
    const unit = { resourceId: id, generation: 1, built: 1, nodeId, seen: { state: 'running' } };
    expect(await expected()).toEqual([unit]);
    await observe(id, { state: 'running', exitCode: 1, restarts: 2 });
    expect(await harness.container(id)).toMatchObject({ status: 'ACTIVE', restarts: 2, exitCode: 1 });
    await observe(id, { state: 'stopped', exitCode: 9, restarts: 2 });
    expect(await harness.containerIs(id, 'FAILED')).toMatchObject({ nodeId, exitCode: 9 });
    expect(await expected()).toMatchObject([{ seen: { state: 'stopped', exitCode: 9, restarts: 2 } }]);
    await observe(id, { state: 'missing' });
    expect(await expected()).toEqual([]);
    await harness.first.ask('container', 'action', { id, action: 'start' });
    expect((await harness.completeTask('container.create')).spec).toMatchObject({ nodeId, generation: 2 });
    expect(await harness.containerIs(id, 'ACTIVE')).toMatchObject({ restarts: 0, exitCode: null });
  });
});
