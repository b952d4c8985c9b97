import { scenario } from '../scenario.fixture.js';

describe('a container with members of its own', () => {
  const at = scenario();

  it('has each of them instead of its profile, as a whole, and the others from the profile', async () => {
    await at.profile({ env: { MODE: 'prod', LEVEL: '1' }, labels: { tier: 'web' }, restartPolicy: 'always' });
    const { resource } = await at.create({ resources: { cpus: 0.5 }, env: { MODE: 'test' } });
    expect(await at.shown(resource.id)).toMatchObject({
      resources: { cpus: 0.5 },
      env: { MODE: 'test' },
      labels: { tier: 'web' },
      restartPolicy: 'always',
      image: 'nginx:1',
    });
    const shown = await at.shown(resource.id);
    expect(shown['resources']).not.toHaveProperty('memoryMb');
    expect(shown['env']).not.toHaveProperty('LEVEL');
  });
});
