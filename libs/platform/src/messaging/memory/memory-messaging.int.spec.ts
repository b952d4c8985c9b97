import { describeMessagingContract } from '../messaging.contract.js';
import { MemoryBroker } from './memory-broker.js';
import { MemoryMessaging } from './memory-messaging.js';

describeMessagingContract('memory', async () => {
  const broker = new MemoryBroker();
  return {
    connect: async onError => new MemoryMessaging(broker, { onError }),
    subject: base => `stave.test.${base}`,
    end: async () => undefined,
  };
});

describe('in-process messaging by reference', () => {
  it('delivers the same payload object', async () => {
    const messaging = new MemoryMessaging(new MemoryBroker({ byReference: true }));
    const payload = Object.freeze({ a: 1 });
    messaging.serve('s', 'q', async received => received);
    expect(await messaging.request('s', payload, { timeoutMs: 1000 })).toBe(payload);
    await messaging.close();
  });

  it('shares no object with a client that requires copies', async () => {
    const broker = new MemoryBroker({ byReference: true });
    const sharing = new MemoryMessaging(broker);
    const copying = new MemoryMessaging(broker, { byReference: false });
    const held = { spec: { cpus: 1 }, text: '"{' };
    const change = async (received: unknown): Promise<unknown> => {
      Object.assign((received as typeof held).spec, { cpus: 2 });
      return received;
    };
    sharing.serve('give', 'q', async () => held);
    copying.serve('change', 'q', change);
    expect(await change(await copying.request('give', {}, { timeoutMs: 1000 }))).toMatchObject({ spec: { cpus: 2 } });
    expect(await sharing.request('change', held, { timeoutMs: 1000 })).toMatchObject({ spec: { cpus: 2 } });
    expect(held).toEqual({ spec: { cpus: 1 }, text: '"{' });
    sharing.serve('text', 'q', async () => '"{');
    expect(await copying.request('text', undefined, { timeoutMs: 1000 })).toBe('"{');
    await Promise.all([sharing.close(), copying.close()]);
  });
});
