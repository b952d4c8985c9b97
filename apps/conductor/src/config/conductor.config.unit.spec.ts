import { BadEnvironmentError } from '@stave/platform';
import { conductorConfig } from './conductor.config.js';

describe("A conductor's configuration", () => {
  it("the conductor's configuration has a default for every variable and a unique id", () => {
    const [one, other] = [conductorConfig({}, 'drivers'), conductorConfig({ CONDUCTOR_GROUP: '' }, 'drivers')];
    expect(one.id).not.toBe(other.id);
    expect(one).toMatchObject({
      group: '',
      weight: 1,
      keyMode: 'group',
      drivers: { directories: ['drivers'], enabled: [] },
      dataDir: 'data',
      nats: { servers: 'nats://127.0.0.1:4222' },
      limits: { total: 64, perDriver: { '*': 64 }, perProject: 0 },
      times: { sweepPeriodMs: 30_000, goneGraceMs: 10_000, neverGraceMs: 60_000, stopGraceMs: 10_000 },
    });
  });

  it("the conductor's configuration reads every variable from the environment", () => {
    const config = conductorConfig(
      {
        CONDUCTOR_ID: 'site-7',
        CONDUCTOR_GROUP: 'Süd: A',
        CONDUCTOR_WEIGHT: '2.5',
        CONDUCTOR_CONCURRENCY: '100',
        CONDUCTOR_DRIVER_CONCURRENCY: 'swarm_docker=8,fake=20',
        PROJECT_CONCURRENCY: '6',
        SECRETS_DIR: '/run/secrets',
        DRIVERS_ENABLED: 'fake, swarm_docker@1.0.0',
        DRIVERS_PATH: ['/opt/drivers', '@acme/driver'].join(process.platform === 'win32' ? ';' : ':'),
        RING_KEY_PIN: 'true',
        NATS_TOKEN: 'secret',
        HEALTH_HOST: '0.0.0.0',
        HEALTH_PORT: '8081',
        ORPHAN_SWEEP_MS: '1000',
        ORPHAN_GONE_MS: '2000',
        ORPHAN_NEVER_MS: '3000',
      },
      'drivers',
    );
    expect(config).toMatchObject({
      id: 'site-7',
      group: 'Süd: A',
      weight: 2.5,
      keyMode: 'pinned',
      drivers: {
        directories: ['drivers', '/opt/drivers', '@acme/driver'],
        enabled: ['fake', 'swarm_docker@1.0.0'],
      },
      secretsDir: '/run/secrets',
      nats: { token: 'secret' },
      health: { host: '0.0.0.0', port: 8081 },
      limits: { total: 100, perDriver: { '*': 100, swarm_docker: 8, fake: 20 }, perProject: 6 },
      times: { sweepPeriodMs: 1_000, goneGraceMs: 2_000, neverGraceMs: 3_000 },
    });
  });

  it("the conductor's configuration reports every invalid variable and shows no value", () => {
    const bad = {
      CONDUCTOR_ID: 'a.b>hunter2',
      CONDUCTOR_GROUP: 'x'.repeat(256),
      CONDUCTOR_WEIGHT: 'hunter2',
      CONDUCTOR_CONCURRENCY: '0',
      CONDUCTOR_DRIVER_CONCURRENCY: 'fake',
      RING_KEY_PIN: 'hunter2',
      LOG_LEVEL: 'hunter2',
    };
    let refused: unknown;
    try {
      conductorConfig(bad, 'drivers');
    } catch (error) {
      refused = error;
    }
    if (!(refused instanceof BadEnvironmentError)) throw new Error('the environment was accepted');
    expect(refused.problems.map(problem => problem.split(' ')[0]).sort()).toEqual(Object.keys(bad).sort());
    expect(refused.message).not.toContain('hunter2');
    expect(refused.message).not.toContain('xxx');
  });

  it("the conductor's configuration counts the length of the group in code points", () => {
    expect(conductorConfig({ CONDUCTOR_GROUP: '😀'.repeat(255) }, 'drivers').group).toHaveLength(510);
  });
});
