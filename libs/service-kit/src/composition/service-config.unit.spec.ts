import { BadEnvironmentError, createLogger, NotReadyError, readEnvironment, serveHealth } from '@stave/platform';
import { openPorts } from './open-ports.js';
import { serviceConfig, ServiceEnvironment } from './service.environment.js';

describe('configuration', () => {
  it('the configuration reads numbers, and uses the defaults for absent and empty variables', () => {
    const read = readEnvironment(ServiceEnvironment, { NATS_URL: '', HEALTH_PORT: '8081', OTHER: 'x' });
    expect(read).toMatchObject({ NATS_URL: 'nats://127.0.0.1:4222', HEALTH_PORT: 8081, MONGODB_URL: '' });
    expect(read).not.toHaveProperty('OTHER');
  });

  it('the configuration includes the release and the key mode with which the service registers in the ring', () => {
    expect(serviceConfig({}).ringUser).toEqual({ release: expect.stringMatching(/^\d+\.\d+\.\d+/), keyMode: 'group' });
    expect(serviceConfig({ RING_KEY_PIN: 'true' }).ringUser.keyMode).toBe('pinned');
    expect(() => serviceConfig({ RING_KEY_PIN: 'yes' })).toThrow('RING_KEY_PIN must be true or false');
  });

  it('the configuration reports every invalid variable at once, and never a value', () => {
    const env = {
      HEALTH_PORT: 'secret1',
      MONGODB_URL: 'http://secret2',
      LOG_LEVEL: 'secret3',
      MONGODB_PREFIX: 'sec/ret4',
    };
    let error: unknown;
    try {
      readEnvironment(ServiceEnvironment, env);
    } catch (thrown) {
      error = thrown;
    }
    if (!(error instanceof BadEnvironmentError)) throw new Error('not refused');
    expect(error.problems.map(problem => problem.split(' ')[0]).sort()).toEqual(Object.keys(env).sort());
    expect(error.message).not.toMatch(/secret|sec\/ret/);
  });

  it('the configuration refuses numbers with trailing text and fractional ports', () => {
    for (const HEALTH_PORT of ['80x', '80.5', '-1', '65536', 'Infinity'])
      expect(() => serviceConfig({ HEALTH_PORT })).toThrow(BadEnvironmentError);
  });

  it('the configuration takes servers of NATS over WebSockets or over TCP, and refuses both at once', () => {
    for (const NATS_URL of [
      'wss://nats.example.com',
      'wss://a:8443/nats, WSS://[::1]',
      'tls://a:4222,nats://b',
      'a:4222',
    ])
      expect(serviceConfig({ NATS_URL }).ports.nats.servers).toBe(NATS_URL);
    for (const NATS_URL of ['wss://a,nats://b:4222', 'nats://b:4222,wss://a', 'ws://a:80', 'wss://', 'wss://a:port'])
      expect(() => serviceConfig({ NATS_URL })).toThrow('NATS_URL takes addresses nats://host:port');
  });

  it('the configuration has no MongoDB settings without a URL, and includes the credentials of NATS', () => {
    expect(serviceConfig({}).ports).not.toHaveProperty('mongo');
    const { ports } = serviceConfig({ MONGODB_URL: 'mongodb://db', NATS_USER: 'u', NATS_PASSWORD: 'p' });
    expect(ports.mongo).toEqual({ url: 'mongodb://db', prefix: 'stave' });
    expect(ports.nats).toEqual({ servers: 'nats://127.0.0.1:4222', user: 'u', pass: 'p' });
  });
});

describe('openPorts', () => {
  const log = createLogger('test', 'silent');

  it('rejects when the event store does not answer in time', async () => {
    const eventStoreUrl = 'esdb://127.0.0.1:1?tls=false&maxDiscoverAttempts=1';
    const settings = { ...serviceConfig({}).ports, eventStoreUrl, startupWaitMs: 0 };
    await expect(openPorts('cluster-service', settings, log)).rejects.toThrow();
  });
});

describe('health', () => {
  it('a service is always live, and is ready while its dependencies answer', async () => {
    let failure: Error | undefined;
    const server = await serveHealth({ host: '127.0.0.1', port: 0 }, async () => {
      if (failure) throw failure;
      return { documentStore: 'down' };
    });
    const status = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${server.port}${path}`)).status;
    expect([await status('/livez'), await status('/readyz'), await status('/else')]).toEqual([200, 200, 404]);
    expect(await (await fetch(`http://127.0.0.1:${server.port}/readyz`)).json()).toEqual({
      status: 'ready',
      checks: { documentStore: 'down' },
    });
    failure = new Error('down');
    expect([await status('/livez'), await status('/readyz')]).toEqual([200, 503]);
    failure = new NotReadyError({ documentStore: 'ok', events: 'upgrade this process' });
    const answer = await fetch(`http://127.0.0.1:${server.port}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { status: 'not ready', checks: { documentStore: 'ok', events: 'upgrade this process' } },
    ]);
    await server.close();
    await expect(status('/livez')).rejects.toThrow();
  });
});
