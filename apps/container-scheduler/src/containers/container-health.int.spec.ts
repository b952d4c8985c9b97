import type { ExpectedReply } from '@stave/contracts';
import { scenario } from '../scenario.fixture.js';

describe('containers as they are found', () => {
  const at = scenario();
  const { profile, create, reaches, shown } = at;
  const expected = async (): Promise<ExpectedReply['units']> => {
    const holdings = [{ key: ':fake', version: '1.0.0' }];
    const body = { conductor: 'one', session: at.world.session, epoch: 0, holdings, max: 10 };
    return (await at.world.ask<ExpectedReply & Record<string, never>>('health', 'expected', body)).units;
  };
  const observed = (resourceId: string, sight: object): Promise<unknown> => {
    const observations = [{ resourceId, generation: 1, ...sight }];
    return at.world.ask('health', 'observed', { conductor: 'one', session: at.world.session, observations });
  };

  it('show how they ended, keep their place, and are made anew when they are gone from it', async () => {
    const nodeId = await at.world.node(at.clusterId, at.groupId, 'n1');
    await profile();
    const { resource } = await create();
    expect(await expected()).toEqual([]);
    await at.world.doTask('container.create');
    await reaches(resource.id, 'ACTIVE');
    const unit = { resourceId: resource.id, generation: 1, built: 1, nodeId, seen: { state: 'running' } };
    expect(await expected()).toEqual([unit]);
    await observed(resource.id, { state: 'running', exitCode: 1, restarts: 2 });
    expect(await shown(resource.id)).toMatchObject({ status: 'ACTIVE', restarts: 2, exitCode: 1 });
    await observed(resource.id, { state: 'stopped', exitCode: 9, restarts: 2 });
    expect(await reaches(resource.id, 'FAILED')).toMatchObject({ nodeId, exitCode: 9 });
    expect(await expected()).toMatchObject([{ seen: { state: 'stopped', exitCode: 9, restarts: 2 } }]);
    await observed(resource.id, { state: 'missing' });
    expect(await expected()).toEqual([]);
    await at.world.ask('container', 'action', { id: resource.id, action: 'start' });
    expect((await at.world.doTask('container.create')).spec).toMatchObject({ nodeId, generation: 2 });
    expect(await reaches(resource.id, 'ACTIVE')).toMatchObject({ restarts: 0, exitCode: null });
  });
});
