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

describe('MemoryMessaging by reference', () => {
  it('hands over the very payload', async () => {
    const messaging = new MemoryMessaging(new MemoryBroker({ byReference: true }));
    const payload = Object.freeze({ a: 1 });
    messaging.serve('s', 'q', async received => received);
    expect(await messaging.request('s', payload, { timeoutMs: 1000 })).toBe(payload);
    await messaging.close();
  });
});
