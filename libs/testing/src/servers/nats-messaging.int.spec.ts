import { randomUUID } from 'node:crypto';
import { connectNats, type Messaging } from '@stave/platform';
import { describeMessagingContract, eventually } from '@stave/platform/testing';
import { describeOn, itOn } from '@stave/driver-sdk/testing';
import { natsMissing, natsNotRestartable, NatsServer, startNats } from './start-nats.js';

// generous, because NATS shares a busy machine with other suites
jest.setTimeout(240_000);

let server: ReturnType<typeof startNats> | undefined;

async function running(): Promise<NatsServer> {
  const started = await (server ??= startNats());
  if ('skipped' in started) throw new Error(started.skipped);
  return started;
}

describeOn(natsMissing(), 'messaging on NATS', () => {
  afterAll(async () => (await running()).stop());

  describeMessagingContract('NATS', async () => {
    const { url } = await running();
    const run = randomUUID().slice(0, 8);
    return {
      connect: onError => connectNats({ servers: url, name: 'contract', onError }),
      subject: base => `stave.test.${run}.${base}`,
      end: async () => undefined,
    };
  });

  describe('NATS killed and restarted on the same port with an empty store', () => {
    let clients: Messaging[] = [];
    afterEach(async () => {
      await Promise.all(clients.map(client => client.close()));
      clients = [];
    });

    itOn(natsNotRestartable(), 'recovers requests, subscriptions and elections', async () => {
      const nats = await running();
      const connected = await Promise.all(['a', 'b', 'c'].map(name => connectNats({ servers: nats.url, name })));
      clients = connected;
      const [a, b, c] = connected;
      const heard: unknown[] = [];
      a?.serve('stave.test.again', 'q', async payload => payload);
      b?.subscribe('stave.test.events.*', payload => heard.push(payload));
      const elections = connected.map((client, at) => client.elect('again', `candidate-${at}`, () => undefined));
      const leaders = (): number => elections.filter(({ leading }) => leading).length;
      const before = a?.connection()?.server;
      let broken = 0;
      const stop = a?.onBroken(() => (broken += 1));
      await eventually(() => leaders() === 1, 'one leads');

      await nats.kill();
      await eventually(() => leaders() === 0, 'the disconnected leader resigns');
      expect([broken, a?.connection()]).toEqual([1, undefined]);
      stop?.();
      const waiting = a?.request('stave.test.again', 'while away', { timeoutMs: 30_000 });
      await nats.restart({ wipe: true });

      expect(await waiting).toBe('while away');
      expect(a?.connection()?.server).not.toBe(before);
      const ask = () => c?.request('stave.test.again', 1, { timeoutMs: 2000 });
      expect(await eventually(ask, 'the service answers others')).toBe(1);
      await eventually(() => {
        c?.publish('stave.test.events.x', 'again');
        return heard.length > 0;
      });
      await eventually(() => leaders() === 1, 'one leads again');
    });
  });
});
